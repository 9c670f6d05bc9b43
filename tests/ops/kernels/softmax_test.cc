#include "kernels/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Returns the softmax, or its logarithm, of n values at a distance of `stride`, in double.
std::vector<double> softmax_reference(const float* x, int64_t n, int64_t stride, bool log) {
  double sum = 0, max = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < n; ++i) max = std::fmax(max, double(x[i * stride]));
  for (int64_t i = 0; i < n; ++i) sum += std::exp(double(x[i * stride]) - max);
  std::vector<double> y;
  for (int64_t i = 0; i < n; ++i) {
    const double v = double(x[i * stride]) - max;
    y.push_back(log ? v - std::log(sum) : std::exp(v) / sum);
  }
  return y;
}

void expect_lane(const float* x, const float* y, int64_t n, int64_t stride, bool log) {
  const std::vector<double> want = softmax_reference(x, n, stride, log);
  for (int64_t i = 0; i < n; ++i) {
    // x - max is rounded, which causes a relative error of e^(x - max) proportional to its magnitude.
    const double bound = 5e-6 * std::abs(want[size_t(i)]) + (log ? 2e-7 : 1e-38);
    ASSERT_NEAR(double(y[i * stride]), want[size_t(i)], bound) << n << ' ' << i;
  }
}

TEST(SoftmaxKernels, RowsMatchDoublePrecision) {
  for (const Isa isa : supported_isas()) {
    const SoftmaxKernels& kernels = kernels_for<SoftmaxKernels>(isa);
    for (const int64_t n : {1, 2, 7, 15, 16, 17, 33, 64, 100, 1000}) {
      Tensor x = random_uniform({3, n}, -30, 30, unsigned(n)), y(DType::kFloat32, {3, n});
      for (const bool log : {false, true}) {
        (log ? kernels.log_rows : kernels.rows)(x.data<float>(), y.data<float>(), 3, n);
        for (int64_t r = 0; r < 3; ++r) expect_lane(x.data<float>() + r * n, y.data<float>() + r * n, n, 1, log);
      }
    }
  }
}

TEST(SoftmaxKernels, ColumnsMatchDoublePrecision) {
  for (const Isa isa : supported_isas()) {
    const SoftmaxKernels& kernels = kernels_for<SoftmaxKernels>(isa);
    for (const int64_t columns : {1, 5, 16, 21, 40}) {
      Tensor x = random_uniform({9, 40}, -30, 30, 5), y = x.clone();
      for (const bool log : {false, true}) {
        (log ? kernels.log_columns : kernels.columns)(x.data<float>(), y.data<float>(), 9, 40, columns);
        for (int64_t c = 0; c < columns; ++c) expect_lane(x.data<float>() + c, y.data<float>() + c, 9, 40, log);
        for (int64_t c = columns; c < 40; ++c) ASSERT_EQ(y.data<float>()[c], x.data<float>()[c]);
      }
    }
  }
}

TEST(SoftmaxKernels, LargeValuesDoNotOverflow) {
  for (const Isa isa : supported_isas()) {
    std::vector<float> x{1e30f, 1e30f, -1e30f}, y(3);
    kernels_for<SoftmaxKernels>(isa).rows(x.data(), y.data(), 1, 3);
    EXPECT_EQ(y, (std::vector{0.5f, 0.5f, 0.0f}));
  }
}

// Subnormal numbers are slow on many processors.
TEST(SoftmaxKernels, PowersAreNormalNumbersOrZero) {
  for (const Isa isa : supported_isas()) {
    std::vector<float> x{0}, y(100);
    for (int i = 1; i < 100; ++i) x.push_back(-80 - 0.3f * float(i));
    kernels_for<SoftmaxKernels>(isa).rows(x.data(), y.data(), 1, 100);
    EXPECT_EQ(y[0], 1.0f);
    for (size_t i = 1; i < 100; ++i) {
      EXPECT_EQ(std::fpclassify(y[i]), x[i] < -87 ? FP_ZERO : FP_NORMAL) << isa_name(isa) << ' ' << x[i];
    }
  }
}

TEST(SoftmaxKernels, PitchedRowsLeaveWhatLiesBetween) {
  for (const Isa isa : supported_isas()) {
    const SoftmaxKernels& k = kernels_for<SoftmaxKernels>(isa);
    for (int64_t n = 1; n < 40; ++n) {
      const Tensor x = random_tensor({3, n + 5});
      Tensor y = x.clone(), want = x.clone();
      k.pitched_rows(y.data<float>(), 3, n, n + 5);
      for (int64_t r = 0; r < 3; ++r) k.rows(x.data<float>() + r * (n + 5), want.data<float>() + r * (n + 5), 1, n);
      expect_close(y, want);
    }
  }
}

TEST(SoftmaxKernels, NanAndInfinitiesSpoilTheirRowOnly) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const Isa isa : supported_isas()) {
    for (const std::vector<float>& row :
         {std::vector{nan, 1.0f}, std::vector{1.0f, nan}, std::vector{inf, 1.0f}, std::vector{-inf, -inf}}) {
      std::vector<float> x{row[0], row[1], 2, 2}, y(4);
      kernels_for<SoftmaxKernels>(isa).rows(x.data(), y.data(), 2, 2);
      EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
      EXPECT_EQ(y[2], 0.5f);
    }
    std::vector<float> masked{-inf, 3}, y(2);
    kernels_for<SoftmaxKernels>(isa).rows(masked.data(), y.data(), 1, 2);
    EXPECT_EQ(y, (std::vector{0.0f, 1.0f}));
  }
}

TEST(SoftmaxKernels, LogarithmsOfSumsOfPowersOfInfinitiesAreInfinite) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const Isa isa : supported_isas()) {
    const SoftmaxKernels& k = kernels_for<SoftmaxKernels>(isa);
    for (const auto& [row, want] : {std::pair(std::vector{inf, 1.0f, -inf}, inf),
                                    {{3e38f, inf, 200}, inf},
                                    {{-inf, -inf, -inf}, -inf},
                                    {{-inf, 5, -inf}, 5.0f}}) {
      float y = 0;
      k.log_sum_exp_columns(row.data(), &y, 3, 1, 1);
      EXPECT_EQ(y, want);
      EXPECT_EQ(k.log_sum_exp_row(row.data(), 3), want);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
