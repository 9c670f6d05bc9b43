#include "linnet/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace linnet::testing {
namespace {

Half half_of(uint16_t bits) {
  Half half;
  half.bits = bits;
  return half;
}

// Returns the value of a binary16 by its definition.
double value_of(uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction ? std::nan("") : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

TEST(Half, ConvertsEveryValueExactlyAndBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = half_of(uint16_t(bits));
    if (std::isnan(value_of(uint16_t(bits)))) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(float(Half(value))));
    } else {
      ASSERT_EQ(double(value), value_of(uint16_t(bits))) << bits;
      ASSERT_EQ(Half(value).bits, bits);
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = value_of(bits), high = value_of(uint16_t(bits + 1)), middle = (low + high) / 2;
    const auto even = uint16_t(bits + (bits & 1));
    ASSERT_EQ(Half(float(middle)).bits, even);
    ASSERT_EQ(Half(std::nextafter(float(middle), 0.f)).bits, bits);
    ASSERT_EQ(Half(std::nextafter(float(middle), INFINITY)).bits, bits + 1);
  }
}

TEST(Half, OverflowsToInfinity) {
  EXPECT_EQ(Half(65519.9f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.f).bits, 0x7c00);
  EXPECT_EQ(Half(-std::numeric_limits<float>::max()).bits, 0xfc00);
}

TEST(Half, NansComeOutQuietWithWhatFitsOfTheirPayload) {
  const auto widened = [](uint16_t bits) { return std::bit_cast<uint32_t>(float(half_of(bits))); };
  const auto narrowed = [](uint32_t bits) { return Half(std::bit_cast<float>(bits)).bits; };
  EXPECT_EQ(widened(0x7c01), 0x7fc02000u);
  EXPECT_EQ(widened(0xfe03), 0xffc06000u);
  EXPECT_EQ(narrowed(0x7f800001), 0x7e00);
  EXPECT_EQ(narrowed(0xffc06fff), 0xfe03);
}

TEST(BFloat16, RoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(BFloat16(1.f).bits, 0x3f80);
  EXPECT_EQ(BFloat16(1.00390625f).bits, 0x3f80);  // halfway, to even
  EXPECT_EQ(BFloat16(1.01171875f).bits, 0x3f82);  // halfway, to even
  EXPECT_EQ(BFloat16(1.0039064f).bits, 0x3f81);   // above halfway
  EXPECT_TRUE(std::isnan(float(BFloat16(std::nanf("1")))));
  EXPECT_TRUE(std::isinf(float(BFloat16(std::numeric_limits<float>::max()))));
}

}  // namespace
}  // namespace linnet::testing
