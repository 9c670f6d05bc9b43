#pragma once

#include <bit>
#include <cstdint>

namespace linnet {

/// IEEE 754 binary16. Conversion from float rounds to nearest, ties to even; arithmetic is done in float. A NaN becomes
/// quiet and keeps as much of its payload as fits, as in the processors' own conversions.
struct Half {
  uint16_t bits = 0;  ///< sign, 5 bits of exponent, 10 bits of fraction

  /// Zero, the number nearest to a float, and the exact conversion to a float.
  Half() = default;
  explicit Half(float value) : bits(from_float(value)) {}
  operator float() const {  // NOLINT: exact, as from float to double
    const uint32_t sign = uint32_t(bits & 0x8000u) << 16;
    const uint32_t magnitude = bits & 0x7fffu;
    // Subnormals scale exactly by 2^-24.
    if (magnitude < 0x0400u) {
      return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(float(magnitude) * 0x1p-24f));
    }
    const uint32_t exponent_bias = magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u;
    const uint32_t quiet = magnitude > 0x7c00u ? 0x00400000u : 0u;
    return std::bit_cast<float>(sign | ((magnitude << 13) + exponent_bias) | quiet);
  }

 private:
  static uint16_t from_float(float value) {
    const uint32_t bits32 = std::bit_cast<uint32_t>(value);
    const auto sign = uint16_t((bits32 >> 16) & 0x8000u);
    const uint32_t magnitude = bits32 & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return uint16_t(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));  // NaN
    if (magnitude >= 0x477ff000u) return uint16_t(sign | 0x7c00u);                              // rounds to infinity
    if (magnitude < 0x38800000u) {  // rounds to a subnormal: adding 0.5 aligns the bits
      const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
      return uint16_t(sign | (std::bit_cast<uint32_t>(aligned) - 0x3f000000u));
    }
    const uint32_t odd = (magnitude >> 13) & 1u;
    return uint16_t(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
  }
};

/// bfloat16: the upper half of a float. Conversion from float rounds to nearest, ties to even; arithmetic is done in
/// float.
struct BFloat16 {
  uint16_t bits = 0;  ///< sign, 8 bits of exponent, 7 bits of fraction

  /// Zero, or the number nearest to a float.
  BFloat16() = default;
  explicit BFloat16(float value) {
    const uint32_t bits32 = std::bit_cast<uint32_t>(value);
    const bool nan = (bits32 & 0x7fffffffu) > 0x7f800000u;
    bits = nan ? uint16_t((bits32 >> 16) | 0x40u) : uint16_t((bits32 + 0x7fffu + ((bits32 >> 16) & 1u)) >> 16);
  }
  /// The exact conversion to a float.
  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }  // NOLINT: exact
};

}  // namespace linnet
