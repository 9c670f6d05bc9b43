#include "kernels/quantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernels_for.h"
#include "ops/kernels/lengths.h"
#include "support/byte_graph.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"
#include "support/special_floats.h"

namespace linnet::testing {
namespace {

constexpr DType kTypes[] = {DType::kUint8, DType::kInt8};

class QuantizeKernel : public ::testing::TestWithParam<Isa> {
 protected:
  const QuantizeKernels& kernels_ = kernels_for<QuantizeKernels>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(, QuantizeKernel, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

/// Returns the lowest 8 bits of the byte that the specification defines.
uint8_t quantized(float x, float scale, int zero_point, DType dtype) {
  const float quotient = x / scale;
  const int least = least_of(dtype);
  if (std::isnan(quotient)) return uint8_t(least);
  return uint8_t(int(std::clamp(std::nearbyint(double(quotient)) + zero_point, double(least), least + 255.0)));
}

float dequantized(uint8_t byte, float scale, int zero_point, DType dtype) {
  const int value = dtype == DType::kInt8 ? int(int8_t(byte)) : int(byte);
  return float(double(value - zero_point) * double(scale));
}

/// Returns floats of all sizes, and those next to every boundary between two bytes.
std::vector<float> floats_about_bytes(float scale) {
  std::vector<float> values{kInf, -kInf, kNan, -kNan, 0.0f, -0.0f};
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 80021)
    values.push_back(std::bit_cast<float>(uint32_t(bits)));
  for (int half = -600; half <= 600; ++half) {
    float x = float(double(half) / 2 * double(scale));
    for (int i = 0; i < 3; ++i) x = std::nextafter(x, -kInf);
    for (int i = 0; i < 7; ++i, x = std::nextafter(x, kInf)) values.push_back(x);
  }
  return values;
}

TEST_P(QuantizeKernel, RoundsTheQuotientOfEveryFloat) {
  for (const float scale : {1.0f, 0.037f, 3.0f, 0x1.fffffep-3f, 1e-37f, 1e-42f, 1e35f, kInf, -0.5f, 0.0f, kNan}) {
    const std::vector<float> x = floats_about_bytes(scale);
    for (const DType dtype : kTypes) {
      for (const int from_least : {0, 3, 128, 255}) {
        const int zero_point = least_of(dtype) + from_least;
        const std::vector<float> scales(x.size(), scale);
        const std::vector<uint8_t> zero_points(x.size(), uint8_t(zero_point));
        std::vector<uint8_t> one(x.size()), want(x.size());
        for (size_t i = 0; i < x.size(); ++i) want[i] = quantized(x[i], scale, zero_point, dtype);
        const GridKernels& k = kernels_.of(dtype);
        k.quantize(x.data(), one.data(), std::ssize(x), scale, float(zero_point));
        for (size_t i = 0; i < x.size(); ++i) {
          ASSERT_EQ(one[i], want[i]) << std::hexfloat << x[i] << " / " << scale << " + " << zero_point;
        }
        for (const int64_t block : {1, 4, 8, 16, 32}) {
          std::vector<uint8_t> each(x.size());
          k.quantize_blocks(x.data(), each.data(), std::ssize(x), block, scales.data(), zero_points.data());
          for (size_t i = 0; i < x.size(); ++i) {
            ASSERT_EQ(each[i], want[i]) << std::hexfloat << x[i] << " / " << scale << " + " << zero_point;
          }
        }
      }
    }
  }
}

/// Tests blocks of `block` elements with one scale against the specification, for any type.
template <class T>
void expect_blocks(const GridKernels& kernels, int64_t n, int64_t block, bool with_zero_points) {
  const int64_t blocks = n == 0 ? 0 : (n - 1) / block + 1;
  constexpr double kLeast = std::numeric_limits<T>::min(), kGreatest = std::numeric_limits<T>::max();
  GuardedFloats x(n, 1), scale(blocks, 2), y(n);
  Guarded<T> zero(blocks), integers(n);
  for (int64_t i = 0; i < blocks; ++i) {
    scale[i] = 0.001f + std::abs(scale[i]);
    zero[i] = T(int64_t(std::min(kGreatest, 65535.0)) - i * 7);
  }
  const void* zero_points = with_zero_points ? zero.data() : nullptr;
  const auto zero_of = [&](int64_t i) { return with_zero_points ? double(zero[i / block]) : 0; };
  if (kernels.quantize_blocks) {
    kernels.quantize_blocks(x.data(), integers.data(), n, block, scale.data(), zero_points);
    for (int64_t i = 0; i < n; ++i) {
      const double rounded = std::nearbyint(double(x[i] / scale[i / block])) + zero_of(i);
      ASSERT_EQ(double(integers[i]), std::clamp(rounded, kLeast, kGreatest)) << i << " of " << n << " by " << block;
    }
  }
  for (int64_t i = 0; i < n; ++i) integers[i] = T(i * 7919);
  kernels.dequantize_blocks(integers.data(), y.data(), n, block, scale.data(), zero_points);
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(y[i], float(double(integers[i]) - zero_of(i)) * scale[i / block]) << i << " of " << n << " by " << block;
  }
}

TEST_P(QuantizeKernel, TakesAScaleForEachBlock) {
  for (const int64_t n : kLengths) {
    for (const int64_t block : {1, 2, 5, 16, 32, 100, 10000}) {
      for (const bool with_zero_points : {true, false}) {
        expect_blocks<uint8_t>(kernels_.u8, n, block, with_zero_points);
        expect_blocks<int8_t>(kernels_.s8, n, block, with_zero_points);
        expect_blocks<uint16_t>(kernels_.u16, n, block, with_zero_points);
        expect_blocks<int16_t>(kernels_.s16, n, block, with_zero_points);
        expect_blocks<int32_t>(kernels_.s32, n, block, with_zero_points);
      }
    }
  }
}

TEST_P(QuantizeKernel, DequantizesEveryByte) {
  for (const DType dtype : kTypes) {
    for (const int64_t n : kLengths) {
      Guarded<uint8_t> x(n);
      GuardedFloats y(n);
      for (int64_t i = 0; i < n; ++i) x[i] = uint8_t(i);
      for (const int zero : {0, 3, 127}) {
        kernels_.of(dtype).dequantize(x.data(), y.data(), n, 0.037f, float(zero));
        for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y[i], dequantized(x[i], 0.037f, zero, dtype)) << i << " of " << n;
      }
    }
  }
}

TEST_P(QuantizeKernel, WordsSaturateAndNanBecomesTheLeast) {
  const std::vector<float> x{1e9f, -1e9f, kInf, -kInf, kNan, 2.5f, 3.5f};
  std::vector<int16_t> y(x.size());
  kernels_.s16.quantize(x.data(), y.data(), std::ssize(x), 1, -5);
  EXPECT_EQ(y, (std::vector<int16_t>{32767, -32768, 32767, -32768, -32768, -3, -1}));
}

TEST_P(QuantizeKernel, NothingBehindTheLastElementIsWritten) {
  const std::vector<float> x(100, 1.0f), scales(100, 1.0f);
  const std::vector<uint8_t> bytes(100, 1);
  for (int64_t n = 0; n < 70; ++n) {
    std::vector<uint8_t> one(100, 77), each(100, 77);
    std::vector<float> float_one(100, 77), float_each(100, 77);
    kernels_.u8.quantize(x.data(), one.data(), n, 1, 0);
    kernels_.u8.quantize_blocks(x.data(), each.data(), n, 1, scales.data(), bytes.data());
    kernels_.u8.dequantize(bytes.data(), float_one.data(), n, 1, 0);
    kernels_.u8.dequantize_blocks(bytes.data(), float_each.data(), n, 1, scales.data(), bytes.data());
    for (size_t i = size_t(n); i < 100; ++i) {
      ASSERT_TRUE(one[i] == 77 && each[i] == 77) << i << " of " << n;
      ASSERT_TRUE(float_one[i] == 77 && float_each[i] == 77) << i << " of " << n;
    }
  }
}

TEST_P(QuantizeKernel, ExtendsARangeByAllButNan) {
  for (const int64_t n : kLengths) {
    GuardedFloats x(n, 5);
    for (const float shift : {0.0f, 50.0f, -50.0f}) {
      FloatRange range, want;
      for (int64_t i = 0; i < n; ++i) x[i] = i % 9 == 4 ? kNan : x[i] + shift;
      for (int64_t i = 0; i < n; ++i) {
        if (x[i] < want.least) want.least = x[i];
        if (x[i] > want.greatest) want.greatest = x[i];
      }
      kernels_.extend_range(x.data(), n, &range);
      EXPECT_EQ(range.least, want.least) << n;
      EXPECT_EQ(range.greatest, want.greatest) << n;
    }
  }
  for (int64_t at = 0; at < 70; ++at) {
    std::vector<float> x(70, 1.0f);
    x[size_t(at)] = at % 2 ? kInf : -kInf;
    FloatRange range;
    kernels_.extend_range(x.data(), 70, &range);
    EXPECT_EQ(range.least, at % 2 ? 0.0f : -kInf) << at;
    EXPECT_EQ(range.greatest, at % 2 ? kInf : 1.0f) << at;
  }
}

}  // namespace
}  // namespace linnet::testing
