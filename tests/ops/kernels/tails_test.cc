#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/normalize.h"
#include "kernels/reduce.h"
#include "kernels/softmax.h"
#include "kernels/unary.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

// Kernels must not access memory beyond the last element. Here that crashes.
namespace linnet::testing {
namespace {

constexpr int64_t kMost = 70;

TEST(KernelTails, ElementWise) {
  for (const Isa isa : supported_isas()) {
    const UnaryKernels& unary = kernels_for<UnaryKernels>(isa);
    const BinaryForms& add = kernels_for<BinaryKernels>(isa).add;
    for (int64_t n = 1; n <= kMost; ++n) {
      GuardedFloats a(n, 1), b(n, 2), y(n);
      for (const auto f : {unary.exp, unary.tanh, unary.sin, unary.relu}) f(a.data(), y.data(), n, 1, 1);
      add.vector_vector(a.data(), b.data(), y.data(), n);
      add.vector_scalar(a.data(), b.data() + n - 1, y.data(), n);
      add.scalar_vector(a.data() + n - 1, b.data(), y.data(), n);
      EXPECT_EQ(y[n - 1], a[n - 1] + b[n - 1]);
    }
  }
}

TEST(KernelTails, RowsOfSoftmaxAndNormalization) {
  for (const Isa isa : supported_isas()) {
    const SoftmaxKernels& softmax = kernels_for<SoftmaxKernels>(isa);
    const NormalizeKernels& normalize = kernels_for<NormalizeKernels>(isa);
    for (int64_t n = 1; n <= kMost; ++n) {
      GuardedFloats x(n, 1), scale(n, 2), bias(n, 3), y(n), mean(n, 4);
      softmax.rows(x.data(), y.data(), 1, n);
      softmax.log_rows(x.data(), y.data(), 1, n);
      softmax.columns(x.data(), y.data(), 1, n, n);
      EXPECT_EQ(y[n - 1], 1.0f);
      EXPECT_GT(softmax.log_sum_exp_row(x.data(), n), x[n - 1] - 1e-3f);
      const auto [average, variance] = normalize.moments(x.data(), n);
      normalize.normalize_row(x.data(), scale.data(), bias.data(), y.data(), n, average, variance);
      normalize.normalize_channel(x.data(), y.data(), n, average, 1, 0);
      normalize.normalize_channels_last(x.data(), y.data(), 1, n, mean.data(), scale.data(), bias.data());
      EXPECT_NEAR(y[n - 1], (x[n - 1] - mean[n - 1]) * scale[n - 1] + bias[n - 1], 1e-5);
    }
  }
}

TEST(KernelTails, Reductions) {
  for (const Isa isa : supported_isas()) {
    const ReduceKernels& k = kernels_for<ReduceKernels>(isa);
    for (int64_t n = 1; n <= kMost; ++n) {
      GuardedFloats x(2 * n, 1), y(n);
      EXPECT_GE(k.max.row(x.data(), 2 * n), x[2 * n - 1]);
      for (const auto& pair : {k.sum, k.sum_abs, k.sum_square, k.max, k.min}) {
        pair.row(x.data(), 2 * n);
        pair.columns(x.data(), y.data(), 2, n, n);
      }
      EXPECT_EQ(y[n - 1], std::min(x[n - 1], x[2 * n - 1]));
    }
  }
}

}  // namespace
}  // namespace linnet::testing
