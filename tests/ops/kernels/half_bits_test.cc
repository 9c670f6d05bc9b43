#include "kernels/half_bits.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/kernels_for.h"
#include "linnet/half.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class HalfBitsKernel : public ::testing::TestWithParam<Isa> {};

INSTANTIATE_TEST_SUITE_P(Isas, HalfBitsKernel, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

/// Tests every number against float32. NaN may have any sign and stays NaN.
template <class T>
void expect_functions(const HalfFunctions& kernels) {
  std::vector<uint16_t> x(1 << 16), y(x.size());
  std::iota(x.begin(), x.end(), uint16_t{0});
  const auto expect = [&](HalfFunction kernel, float (*function)(float)) {
    kernel(x.data(), y.data(), std::ssize(x));
    for (size_t i = 0; i < x.size(); ++i) {
      const auto value = float(std::bit_cast<T>(x[i])), got = float(std::bit_cast<T>(y[i]));
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(got)) << i;
      } else {
        ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(function(value))) << value;
      }
    }
  };
  expect(kernels.abs, [](float v) { return std::fabs(v); });
  expect(kernels.neg, [](float v) { return -v; });
  expect(kernels.relu, [](float v) { return v < 0 ? 0.0f : v; });
  expect(kernels.sign, [](float v) { return v > 0 ? 1.0f : v < 0 ? -1.0f : v; });
}

TEST_P(HalfBitsKernel, FunctionsAreThoseOfFloats) {
  const HalfBitsKernels& kernels = kernels_for<HalfBitsKernels>(GetParam());
  expect_functions<Half>(kernels.f16);
  expect_functions<BFloat16>(kernels.bf16);
}

TEST_P(HalfBitsKernel, TailsAreComputedInPlaceAndNoMore) {
  for (int64_t n = 0; n < 80; ++n) {
    std::vector<uint16_t> x(80, 0xbc00);
    kernels_for<HalfBitsKernels>(GetParam()).f16.neg(x.data(), x.data(), n);
    for (int64_t i = 0; i < 80; ++i) ASSERT_EQ(x[size_t(i)], i < n ? 0x3c00 : 0xbc00) << n;
  }
}

}  // namespace
}  // namespace linnet::testing
