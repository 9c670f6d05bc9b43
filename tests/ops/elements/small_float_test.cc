#include "elements/small_float.h"

#include <gtest/gtest.h>

#include <cmath>

#include "elements/wide.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const DType kFormats[] = {DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ};

TEST(SmallFloat, DecodesTheValuesOfTheSpecification) {
  EXPECT_EQ(decode_small_float(DType::kFloat8E4M3FN, 0x7e), 448);
  EXPECT_TRUE(std::isnan(decode_small_float(DType::kFloat8E4M3FN, 0x7f)));
  EXPECT_EQ(decode_small_float(DType::kFloat8E4M3FN, 0x01), 0x1p-9);
  EXPECT_EQ(decode_small_float(DType::kFloat8E4M3FNUZ, 0x7f), 240);
  EXPECT_TRUE(std::isnan(decode_small_float(DType::kFloat8E4M3FNUZ, 0x80)));
  EXPECT_EQ(decode_small_float(DType::kFloat8E5M2, 0x7b), 57344);
  EXPECT_EQ(decode_small_float(DType::kFloat8E5M2, 0xfc), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(decode_small_float(DType::kFloat8E5M2, 0x7d)));
  EXPECT_EQ(decode_small_float(DType::kFloat8E5M2FNUZ, 0x01), 0x1p-17);
  EXPECT_EQ(decode_small_float(DType::kFloat8E8M0, 0), 0x1p-127);
  EXPECT_TRUE(std::isnan(decode_small_float(DType::kFloat8E8M0, 255)));
  const double float4[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint8_t code = 0; code < 8; ++code) EXPECT_EQ(decode_small_float(DType::kFloat4E2M1, code), float4[code]);
}

// The values of the positive codes in the package ml_dtypes.
const double kE2M3[] = {0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875,
                        2, 2.25,  2.5,  2.75,  3,   3.25,  3.5,  3.75,  4, 4.5,   5,    5.5,   6,   6.5,   7,    7.5};
const double kE3M2[] = {0,     0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.625, 0.75,
                        0.875, 1,      1.25,  1.5,    1.75, 2,      2.5,   3,      3.5, 4,     5,
                        6,     7,      8,     10,     12,   14,     16,    20,     24,  28};

TEST(SmallFloat, HoldsTheValuesOfFloat6) {
  for (const auto& [format, values] : {std::pair{DType::kFloat6E2M3, kE2M3}, std::pair{DType::kFloat6E3M2, kE3M2}}) {
    for (uint8_t code = 0; code < 32; ++code) {
      EXPECT_EQ(decode_small_float(format, code), values[code]);
      EXPECT_EQ(decode_small_float(format, code | 32), -values[code]);
      EXPECT_EQ(encode_small_float(format, values[code], {}), code) << format;
      EXPECT_EQ(encode_small_float(format, -values[code], {}), code | 32) << format;
    }
    for (uint8_t code = 0; code < 31; ++code) {
      const double middle = (values[code] + values[code + 1]) / 2;
      EXPECT_EQ(encode_small_float(format, middle, {}), code + code % 2) << format << " " << middle;
      EXPECT_EQ(encode_small_float(format, std::nextafter(middle, 0), {}), code) << format << " " << middle;
      EXPECT_EQ(encode_small_float(format, std::nextafter(middle, 100), {}), code + 1) << format << " " << middle;
    }
    for (const double large : {29.0, 1e9, HUGE_VAL}) {
      EXPECT_EQ(encode_small_float(format, large, {.saturate = false}), 31) << format;
      EXPECT_EQ(encode_small_float(format, -large, {}), 63) << format;
    }
    EXPECT_EQ(encode_small_float(format, NAN, {}), 32) << format;
  }
}

TEST(SmallFloat, EncodesEveryValueToItsCode) {
  for (const DType format : kFormats) {
    for (int code = 0; code < 256; ++code) {
      const double value = decode_small_float(format, uint8_t(code));
      if (std::isnan(value)) continue;
      EXPECT_EQ(encode_small_float(format, value, {.saturate = false}), code) << format;
    }
  }
}

TEST(SmallFloat, RoundsToTheNearestTiesToEven) {
  for (const DType format : kFormats) {
    for (int code = 0; code < 0x7b; ++code) {
      const double low = decode_small_float(format, uint8_t(code)),
                   high = decode_small_float(format, uint8_t(code + 1));
      const double middle = (low + high) / 2;
      const auto encode = [&](double value) { return int{encode_small_float(format, value, {})}; };
      EXPECT_EQ(encode(middle), code + code % 2) << format << " " << middle;
      EXPECT_EQ(encode(std::nextafter(middle, 0)), code) << format << " " << middle;
      EXPECT_EQ(encode(std::nextafter(middle, HUGE_VAL)), code + 1) << format << " " << middle;
    }
  }
}

TEST(SmallFloat, SaturatesOrNot) {
  const SmallFloatRounding open{.saturate = false};
  EXPECT_EQ(encode_small_float(DType::kFloat8E4M3FN, 1e9, {}), 0x7e);
  EXPECT_EQ(encode_small_float(DType::kFloat8E4M3FN, -1e9, open), 0xff);
  EXPECT_EQ(encode_small_float(DType::kFloat8E5M2, -HUGE_VAL, {}), 0xfb);
  EXPECT_EQ(encode_small_float(DType::kFloat8E5M2, 1e9, open), 0x7c);
  EXPECT_EQ(encode_small_float(DType::kFloat8E5M2FNUZ, HUGE_VAL, open), 0x80);
  EXPECT_EQ(encode_small_float(DType::kFloat8E4M3FNUZ, -0.0, {}), 0);
  EXPECT_EQ(encode_small_float(DType::kFloat4E2M1, 100, open), 7);
}

TEST(SmallFloat, PowersOfTwoRoundAsAsked) {
  using Mode = SmallFloatRounding::Mode;
  const auto encode = [](double value, Mode mode) {
    return int{encode_small_float(DType::kFloat8E8M0, value, {.saturate = true, .mode = mode})};
  };
  EXPECT_EQ(encode(1.25, Mode::kUp), 128);
  EXPECT_EQ(encode(1.75, Mode::kDown), 127);
  EXPECT_EQ(encode(1.25, Mode::kNearest), 127);
  EXPECT_EQ(encode(1.5, Mode::kNearest), 128);
  EXPECT_EQ(encode(0, Mode::kUp), 0);
  EXPECT_EQ(encode(HUGE_VAL, Mode::kUp), 254);
  EXPECT_EQ(int{encode_small_float(DType::kFloat8E8M0, 0, {.saturate = false})}, 255);
}

TEST(Wide, WritesAndReadsElementsBelowOneByte) {
  for (const DType dtype : {DType::kInt4, DType::kUint4, DType::kInt2, DType::kUint2}) {
    const bool is_signed = dtype == DType::kInt4 || dtype == DType::kInt2;
    const int count = 1 << dtype_bits(dtype);
    Tensor written(dtype, {count + 1});
    std::vector<Wide> values(size_t(count) + 1), read(values.size());
    for (int i = 0; i <= count; ++i) values[size_t(i)].i = (i % count) - (is_signed ? count / 2 : 0);
    wide_writer(WideKind::kSigned, dtype)(values.data(), written.raw(), 0, count + 1);
    wide_reader(dtype)(written.raw(), 0, count + 1, read.data());
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(read[i].i, values[i].i) << dtype;
  }
}

TEST(Wide, HasTheFirstElementInTheLowestBits) {
  Wide values[3];
  for (int i = 0; i < 3; ++i) values[i].i = i + 1;
  uint8_t bytes[2] = {0xff, 0xff};
  wide_writer(WideKind::kSigned, DType::kUint4)(values, bytes, 0, 3);
  EXPECT_EQ(bytes[0], 0x21);
  EXPECT_EQ(bytes[1], 0x03);
}

TEST(Wide, WritesFourElementsOf6BitsInto3Bytes) {
  const int codes[] = {0x3f, 0x01, 0x2a, 0x15, 0x20, 0x1f};
  Wide values[6];
  for (int i = 0; i < 6; ++i) values[i].d = decode_small_float(DType::kFloat6E3M2, uint8_t(codes[i]));
  uint8_t bytes[5] = {0xff, 0xff, 0xff, 0xff, 0xff};
  wide_writer(WideKind::kReal, DType::kFloat6E3M2)(values, bytes, 0, 6);
  EXPECT_EQ(bytes[0], 0x3f | (0x01 & 0x3) << 6);
  EXPECT_EQ(bytes[1], 0x01 >> 2 | (0x2a & 0xf) << 4);
  EXPECT_EQ(bytes[2], 0x2a >> 4 | 0x15 << 2);
  EXPECT_EQ(bytes[3], 0x20 | (0x1f & 0x3) << 6);
  EXPECT_EQ(bytes[4], 0x1f >> 2);
  Wide read[5];
  wide_reader(DType::kFloat6E3M2)(bytes, 1, 5, read);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(read[i].d, values[i + 1].d);
}

}  // namespace
}  // namespace linnet::testing
