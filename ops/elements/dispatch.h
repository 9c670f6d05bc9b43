#pragma once

#include "elements/text.h"
#include "elements/to_integer.h"
#include "linnet/complex.h"
#include "linnet/tensor.h"

// From a DType known in compile() to a C++ type: dispatch_float(dtype, [&]<class T>() { return make<T>(); }).
// All throw Error(kUnsupported) for a dtype outside their set.
namespace linnet {

[[noreturn]] void throw_dtype(DType dtype);

/// The floats that operators compute in (see Precision): float32, float64.
template <class F>
auto dispatch_float(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat32:
      return f.template operator()<float>();
    case DType::kFloat64:
      return f.template operator()<double>();
    default:
      throw_dtype(dtype);
  }
}

/// All integers of 8 to 64 bits.
template <class F>
auto dispatch_integer(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kInt8:
      return f.template operator()<int8_t>();
    case DType::kInt16:
      return f.template operator()<int16_t>();
    case DType::kInt32:
      return f.template operator()<int32_t>();
    case DType::kInt64:
      return f.template operator()<int64_t>();
    case DType::kUint8:
      return f.template operator()<uint8_t>();
    case DType::kUint16:
      return f.template operator()<uint16_t>();
    case DType::kUint32:
      return f.template operator()<uint32_t>();
    case DType::kUint64:
      return f.template operator()<uint64_t>();
    default:
      throw_dtype(dtype);
  }
}

/// The floats and integers above.
template <class F>
auto dispatch_number(DType dtype, F&& f) {
  return is_integer(dtype) ? dispatch_integer(dtype, f) : dispatch_float(dtype, f);
}

/// The numbers above, float16 and bfloat16: for operators that read or write single numbers of the dtype.
template <class F>
auto dispatch_stored(DType dtype, F&& f) {
  if (dtype == DType::kFloat16) return f.template operator()<Half>();
  if (dtype == DType::kBFloat16) return f.template operator()<BFloat16>();
  return dispatch_number(dtype, f);
}

/// A number in a dtype of dispatch_stored(), or bool: an integer as to_integer() gives it.
template <class T>
T stored(double value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(value));
  } else {
    return to_number<T>(value);
  }
}

/// Numbers, bool, string and complex numbers.
template <class F>
auto dispatch_any(DType dtype, F&& f) {
  if (dtype == DType::kBool) return f.template operator()<bool>();
  if (dtype == DType::kString) return f.template operator()<std::string>();
  if (dtype == DType::kComplex64) return f.template operator()<std::complex<float>>();
  if (dtype == DType::kComplex128) return f.template operator()<std::complex<double>>();
  return dispatch_number(dtype, f);
}

/// Calls f with an unsigned integer type of the element's width (or Text): for operators that only move data.
template <class F>
auto dispatch_width(DType dtype, F&& f) {
  if (dtype == DType::kString) return f.template operator()<Text>();
  switch (dtype_bits(dtype)) {
    case 8:
      return f.template operator()<uint8_t>();
    case 16:
      return f.template operator()<uint16_t>();
    case 32:
      return f.template operator()<uint32_t>();
    case 64:
      return f.template operator()<uint64_t>();
    case 128:
      return f.template operator()<std::complex<double>>();
    default:
      throw_dtype(dtype);
  }
}

}  // namespace linnet
