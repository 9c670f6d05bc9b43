#pragma once

#include <string>
#include <type_traits>

#include "elements/to_integer.h"
#include "environment/run_environment.h"
#include "linnet/complex.h"
#include "linnet/tensor.h"

// Functions that dispatch from a DType known in compile() to a C++ type:
//     dispatch_float(dtype, [&]<class T>() { return make<T>(); })
// They throw Error(kUnsupported) for a dtype outside their set.
namespace linnet {

[[noreturn]] void throw_dtype(DType dtype);

/// Selects among given types: dispatch_among<int32_t, int64_t>(dtype, f).
template <class First, class... Rest, class F>
auto dispatch_among(DType dtype, F&& f) {
  if (dtype == dtype_of<First>) return f.template operator()<First>();
  if constexpr (sizeof...(Rest) > 0) {
    return dispatch_among<Rest...>(dtype, f);
  } else {
    throw_dtype(dtype);
  }
}

/// The floating-point dtypes for computation (see Precision): float32, float64.
template <class F>
auto dispatch_float(DType dtype, F&& f) {
  return dispatch_among<float, double>(dtype, f);
}

/// All integers of 8 to 64 bits.
template <class F>
auto dispatch_integer(DType dtype, F&& f) {
  return dispatch_among<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(dtype, f);
}

/// The floats and integers above.
template <class F>
auto dispatch_number(DType dtype, F&& f) {
  return is_integer(dtype) ? dispatch_integer(dtype, f) : dispatch_float(dtype, f);
}

/// The numbers above, float16 and bfloat16, for operators that read or write single numbers.
template <class F>
auto dispatch_stored(DType dtype, F&& f) {
  if (dtype == DType::kFloat16) return f.template operator()<Half>();
  if (dtype == DType::kBFloat16) return f.template operator()<BFloat16>();
  return dispatch_number(dtype, f);
}

/// Converts a number to a dtype of dispatch_stored(), or bool; to integers as to_integer() does.
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

/// A std::string as an element that operators move. Its memory is counted before it is allocated.
struct Text {
  std::string value;

  Text() = default;
  Text(const Text& other) { *this = other; }
  ~Text() = default;
  Text& operator=(const Text& other) {
    if (other.value.size() > value.capacity()) count_text(other.value.size());
    value = other.value;
    return *this;
  }
  friend bool operator==(const Text& a, const Text& b) { return a.value == b.value; }
};
static_assert(sizeof(Text) == sizeof(std::string) && std::is_standard_layout_v<Text>);

/// Calls f with an unsigned integer type of the element's width (or Text), for operators that only move data.
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
