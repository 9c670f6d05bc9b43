#include "elements/small_float.h"

#include <cmath>
#include <limits>

namespace linnet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Format {
  int bits;
  int mantissa_bits;
  int bias;
  uint8_t max;       ///< code of the largest finite value
  uint8_t infinity;  ///< code of infinity, or of its substitute
  uint8_t nan;
  bool unsigned_zero;  ///< the code of -0 is NaN
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3FN:
      return {8, 3, 7, 0x7e, 0x7f, 0x7f, false};
    case DType::kFloat8E4M3FNUZ:
      return {8, 3, 8, 0x7f, 0x80, 0x80, true};
    case DType::kFloat8E5M2:
      return {8, 2, 15, 0x7b, 0x7c, 0x7e, false};
    case DType::kFloat8E5M2FNUZ:
      return {8, 2, 16, 0x7f, 0x80, 0x80, true};
    case DType::kFloat6E2M3:
      return {6, 3, 1, 0x1f, 0x1f, 0x20, false};
    case DType::kFloat6E3M2:
      return {6, 2, 3, 0x1f, 0x1f, 0x20, false};
    default:
      return {4, 1, 1, 0x7, 0x7, 0x8, false};
  }
}

uint8_t sign_bit(const Format& format) { return uint8_t(1 << (format.bits - 1)); }

/// The absolute value of a code without its sign, ignoring special values.
double magnitude(const Format& format, int code) {
  const int exponent = code >> format.mantissa_bits;
  const int mantissa = code & ((1 << format.mantissa_bits) - 1);
  const int scale = 1 - format.bias - format.mantissa_bits;
  if (exponent == 0) return std::ldexp(mantissa, scale);
  return std::ldexp(mantissa + (1 << format.mantissa_bits), exponent - 1 + scale);
}

/// The code of |value| for a finite value, which may exceed format.max.
int round_magnitude(const Format& format, double value) {
  if (value == 0) return 0;
  const int exponent = std::max(std::ilogb(value), 1 - format.bias);
  const auto units = int(std::nearbyint(std::ldexp(value, format.mantissa_bits - exponent)));
  return units + ((exponent + format.bias - 1) << format.mantissa_bits);
}

double decode_e8m0(uint8_t code) { return code == 0xff ? kNan : std::ldexp(1.0, code - 127); }

uint8_t encode_e8m0(double value, const SmallFloatRounding& rounding) {
  using Mode = SmallFloatRounding::Mode;
  if (std::isnan(value)) return 0xff;
  const uint8_t above = rounding.saturate ? 0xfe : 0xff;
  if (value == kInfinity) return above;
  if (!(value >= 0x1p-127)) return rounding.saturate ? 0 : 0xff;
  int exponent = std::ilogb(value);
  const double fraction = std::ldexp(value, -exponent);
  if ((rounding.mode == Mode::kUp && fraction > 1) || (rounding.mode == Mode::kNearest && fraction >= 1.5)) ++exponent;
  return exponent > 127 ? above : uint8_t(exponent + 127);
}

}  // namespace

bool is_small_float(DType dtype) { return is_floating(dtype) && dtype_bits(dtype) <= 8; }
bool is_float8(DType dtype) { return is_floating(dtype) && dtype_bits(dtype) == 8; }

double decode_small_float(DType dtype, uint8_t code) {
  if (dtype == DType::kFloat8E8M0) return decode_e8m0(code);
  const Format format = format_of(dtype);
  const bool negative = code & sign_bit(format);
  const int rest = code & (sign_bit(format) - 1);
  double value = magnitude(format, rest);
  if (format.unsigned_zero && code == format.nan) return kNan;
  if (!format.unsigned_zero && rest > format.max)
    value = rest == format.infinity && rest != format.nan ? kInfinity : kNan;
  return negative ? -value : value;
}

uint8_t encode_small_float(DType dtype, double value, const SmallFloatRounding& rounding) {
  if (dtype == DType::kFloat8E8M0) return encode_e8m0(value, rounding);
  const Format format = format_of(dtype);
  const uint8_t sign = std::signbit(value) ? sign_bit(format) : uint8_t(0);
  if (std::isnan(value)) return format.unsigned_zero ? format.nan : uint8_t(format.nan | sign);
  const int code = std::isinf(value) ? 0xff : round_magnitude(format, std::fabs(value));
  if (code == 0 && format.unsigned_zero) return 0;
  if (code <= format.max) return uint8_t(code | sign);
  return uint8_t((rounding.saturate ? format.max : format.infinity) | sign);
}

}  // namespace linnet
