#include "elements/wide.h"

#include <bit>
#include <cmath>

#include "elements/bit_stream.h"
#include "elements/dispatch.h"
#include "elements/to_integer.h"

namespace linnet {
namespace {

template <class W>
W get(const Wide& value) {
  if constexpr (std::is_same_v<W, double>)
    return value.d;
  else if constexpr (std::is_same_v<W, uint64_t>)
    return value.u;
  else
    return value.i;
}

template <class T>
WideReader number_reader() {
  return [](const void* x, int64_t first, int64_t n, Wide* out) {
    const T* from = static_cast<const T*>(x) + first;
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<T, uint64_t>)
        out[i].u = from[i];
      else if constexpr (std::is_integral_v<T>)
        out[i].i = from[i];
      else
        out[i].d = from[i];
    }
  };
}

void read_bools(const void* x, int64_t first, int64_t n, Wide* out) {
  const auto* from = static_cast<const uint8_t*>(x) + first;
  for (int64_t i = 0; i < n; ++i) out[i].i = from[i] != 0;
}

bool is_signed_integer(DType dtype) { return dtype == DType::kInt2 || dtype == DType::kInt4; }

WideReader packed_integer_reader(int bits, bool is_signed) {
  return [bits, is_signed](const void* x, int64_t first, int64_t n, Wide* out) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t code = code_at(x, first + i, bits);
      out[i].i = is_signed && code >> (bits - 1) ? code - (1 << bits) : code;
    }
  };
}

WideReader small_float_reader(DType dtype) {
  std::array<double, 256> values;
  for (size_t code = 0; code < 256; ++code) values[code] = decode_small_float(dtype, uint8_t(code));
  return [values, bits = dtype_bits(dtype)](const void* x, int64_t first, int64_t n, Wide* out) {
    for (int64_t i = 0; i < n; ++i) out[i].d = values[code_at(x, first + i, bits)];
  };
}

/// The neighbouring float of `value` whose last bit is 1, or `value` itself if exact. Rounding it to fewer bits is
/// equivalent to rounding `value`.
/// Source: S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
/// odd", 2008.
float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto bits = std::bit_cast<uint32_t>(nearest);
  if (double{nearest} == value || !std::isfinite(nearest) || (bits & 1)) return nearest;
  const bool away = std::fabs(double{nearest}) < std::fabs(value);
  return std::bit_cast<float>(away ? bits + 1 : bits - 1);
}

template <class T, class W>
T convert(W value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return T(round_to_odd(static_cast<double>(value)));
  else if constexpr (std::is_integral_v<T> && std::is_same_v<W, double>)
    return to_integer<T>(value);
  else
    return static_cast<T>(value);
}

template <class T, class W>
WideWriter number_writer() {
  return [](const Wide* in, void* y, int64_t first, int64_t n) {
    T* to = static_cast<T*>(y) + first;
    for (int64_t i = 0; i < n; ++i) to[i] = convert<T>(get<W>(in[i]));
  };
}

template <class W>
WideWriter bool_writer() {
  return [](const Wide* in, void* y, int64_t first, int64_t n) {
    bool* to = static_cast<bool*>(y) + first;
    for (int64_t i = 0; i < n; ++i) to[i] = get<W>(in[i]) != 0;
  };
}

/// Writes codes of `bits` bits, which `code` computes from numbers.
template <class F>
WideWriter packed_writer(int bits, F code) {
  return [bits, code](const Wide* in, void* y, int64_t first, int64_t n) {
    write_codes(y, first, n, bits, [&](int64_t i) { return code(in[i]); });
  };
}

template <class W>
WideWriter writer_from(DType dtype, const SmallFloatRounding& rounding) {
  if (dtype == DType::kBool) return bool_writer<W>();
  if (is_small_float(dtype)) {
    return packed_writer(dtype_bits(dtype), [dtype, rounding](const Wide& value) {
      return unsigned{encode_small_float(dtype, static_cast<double>(get<W>(value)), rounding)};
    });
  }
  if (is_integer(dtype) && dtype_bits(dtype) < 8) {
    return packed_writer(dtype_bits(dtype),
                         [](const Wide& value) { return unsigned(convert<int32_t>(get<W>(value))); });
  }
  return dispatch_stored(dtype, []<class T>() { return number_writer<T, W>(); });
}

}  // namespace

WideKind wide_kind(DType dtype) {
  if (is_floating(dtype)) return WideKind::kReal;
  if (!is_integer(dtype) && dtype != DType::kBool) throw_dtype(dtype);
  return dtype == DType::kUint64 ? WideKind::kUnsigned : WideKind::kSigned;
}

WideReader wide_reader(DType dtype) {
  if (dtype == DType::kBool) return read_bools;
  if (is_small_float(dtype)) return small_float_reader(dtype);
  if (is_integer(dtype) && dtype_bits(dtype) < 8)
    return packed_integer_reader(dtype_bits(dtype), is_signed_integer(dtype));
  return dispatch_stored(dtype, []<class T>() { return number_reader<T>(); });
}

WideWriter wide_writer(WideKind from, DType dtype, const SmallFloatRounding& rounding) {
  if (from == WideKind::kReal) return writer_from<double>(dtype, rounding);
  if (from == WideKind::kUnsigned) return writer_from<uint64_t>(dtype, rounding);
  return writer_from<int64_t>(dtype, rounding);
}

}  // namespace linnet
