#include "tensor/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace linnet::testing {
namespace {

TEST(Quantity, NumbersAreInFixedNotation) {
  EXPECT_EQ(fixed_number(0), "0");
  EXPECT_EQ(fixed_number(1160), "1,160");
  EXPECT_EQ(fixed_number(-1234567), "-1,234,567");
  EXPECT_EQ(fixed_number(999), "999");
  EXPECT_EQ(fixed_number(0.00125), "0.00125");
  EXPECT_EQ(fixed_number(12.5), "12.5");
  EXPECT_EQ(fixed_number(12.5678, 4), "12.57");
  EXPECT_EQ(fixed_number(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Quantity, NoNumberHasAnExponent) {
  for (int exponent = -300; exponent <= 300; exponent += 10) {
    EXPECT_EQ(fixed_number(std::pow(10.0, exponent)).find('e'), std::string::npos) << exponent;
  }
}

TEST(Quantity, TimesHaveTheUnitThatFits) {
  EXPECT_EQ(human_time(0), "0 ms");
  EXPECT_EQ(human_time(0.00085), "850 ns");
  EXPECT_EQ(human_time(0.001082, 2), "1.1 us");
  EXPECT_EQ(human_time(1.5), "1.5 ms");
  EXPECT_EQ(human_time(1160), "1,160 ms");
  EXPECT_EQ(human_time(300000), "300 s");
}

TEST(Quantity, BytesHaveTheUnitThatFits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(int64_t{3} << 20), "3.0 MiB");
  EXPECT_EQ(human_bytes(int64_t{1} << 52), "4096.0 TiB");
}

}  // namespace
}  // namespace linnet::testing
