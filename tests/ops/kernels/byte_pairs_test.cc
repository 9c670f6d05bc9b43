#include "kernels/byte_pairs.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/kernels_for.h"
#include "kernels/quantize.h"
#include "ops/kernels/lengths.h"
#include "support/byte_graph.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class BytePairKernel : public ::testing::TestWithParam<Isa> {
 protected:
  const BytePairKernels& kernels_ = kernels_for<BytePairKernels>(GetParam());
  const QuantizeKernels& quantize_ = kernels_for<QuantizeKernels>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(, BytePairKernel, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

/// Tests all pairs of bytes, and every length of the remainder.
TEST_P(BytePairKernel, AddsAndMultipliesAsTheSeparateKernelsDo) {
  std::vector<uint8_t> a(65536), b(a.size()), y(a.size()), want(a.size());
  std::vector<float> x(a.size()), with(a.size()), result(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = uint8_t(i);
    b[i] = uint8_t(i >> 8);
  }
  // With the last scales, sums overflow, are in the middle between two bytes, or far outside them.
  const float scales[][3] = {{0.037f, 0.05f, 0.061f}, {0.5f, 0.3f, 20.0f},   {0.003f, -0.017f, 0.01f},
                             {0.004f, 0.1f, 0.0005f}, {1e38f, 2e38f, 1e36f}, {1e-20f, 1e-22f, 1e-40f},
                             {0.25f, 0.25f, 0.5f},    {0.5f, -0.5f, 1.0f},   {1.0f, 1.0f, 1e-3f}};
  for (const DType dtype : {DType::kUint8, DType::kInt8}) {
    const GridKernels& separate = quantize_.of(dtype);
    const PairKernels& k = kernels_.of(dtype);
    for (const auto& s : scales) {
      for (const int from_least : {0, 100, 255}) {
        const auto zero = float(least_of(dtype) + from_least), other = float(least_of(dtype) + 255 - from_least / 2);
        const BytePair pair{s[0], zero, s[1], other, s[2], zero};
        for (const bool sum : {true, false}) {
          separate.dequantize(a.data(), x.data(), std::ssize(a), pair.a_scale, pair.a_zero_point);
          separate.dequantize(b.data(), with.data(), std::ssize(a), pair.b_scale, pair.b_zero_point);
          for (size_t i = 0; i < a.size(); ++i) result[i] = sum ? x[i] + with[i] : x[i] * with[i];
          separate.quantize(result.data(), want.data(), std::ssize(a), pair.y_scale, pair.y_zero_point);
          (sum ? k.add : k.mul)(a.data(), b.data(), y.data(), std::ssize(a), pair);
          ASSERT_EQ(y, want) << s[0] << " " << s[1] << " " << s[2] << " " << from_least << " " << sum;
        }
      }
    }
    for (const int64_t n : kLengths) {
      Guarded<uint8_t> left(n, 1), right(n, 2), out(n);
      const BytePair pair{0.02f, 3, 0.03f, 4, 0.04f, 5};
      k.add(left.data(), right.data(), out.data(), n, pair);
      k.add(left.data(), right.data(), left.data(), n, pair);
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(left[i], out[i]) << i << " of " << n;
    }
  }
}

TEST_P(BytePairKernel, NothingBehindTheLastElementIsWritten) {
  const std::vector<uint8_t> bytes(100, 1);
  for (int64_t n = 0; n < 70; ++n) {
    std::vector<uint8_t> sum(100, 77);
    kernels_.u8.add(bytes.data(), bytes.data(), sum.data(), n, {1, 0, 1, 0, 1, 0});
    for (size_t i = 0; i < 100; ++i) ASSERT_EQ(sum[i], i < size_t(n) ? 2 : 77) << i << " of " << n;
  }
}

}  // namespace
}  // namespace linnet::testing
