#include "kernels/row_norms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// The norms of a row: its largest value, the sum of its magnitudes, its Euclidean length.
std::vector<double> norms_reference(const float* x, int64_t n) {
  double sum = 0, square = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::abs(double(x[i])), square += double(x[i]) * double(x[i]);
  return {double(*std::max_element(x, x + n)), sum, std::sqrt(square)};
}

TEST(RowNormKernels, DivideEachRowByItsNorm) {
  const int64_t rows = 3;
  for (int64_t n = 1; n < 40; ++n) {
    const Tensor x = random_tensor({rows, n}, unsigned(n));
    for (const Isa isa : supported_isas()) {
      const RowNormKernels& kernels = kernels_for<RowNormKernels>(isa);
      const RowNormKernels::Rows functions[] = {kernels.max, kernels.l1, kernels.l2};
      for (size_t f = 0; f < 3; ++f) {
        std::vector<float> y(size_t(rows * n) + 1, 7.0f);
        functions[f](x.data<float>(), rows, n, y.data());
        for (int64_t i = 0; i < rows * n; ++i) {
          const double norm = norms_reference(x.data<float>() + i / n * n, n)[f];
          const double want = double(x.data<float>()[i]) / norm;
          EXPECT_NEAR(double(y[size_t(i)]), want, 1e-7 * std::abs(want)) << n << " " << f;
        }
        EXPECT_EQ(y.back(), 7.0f);
      }
    }
  }
}

TEST(RowNormKernels, GiveTheSameBitsOnEveryInstructionSet) {
  for (const int64_t n : {5, 8, 30, 33, 100}) {
    const Tensor x = random_tensor({4, n}, unsigned(n));
    const auto run = [&](Isa isa, auto function) {
      Tensor y(DType::kFloat32, {4, n});
      (kernels_for<RowNormKernels>(isa).*function)(x.data<float>(), 4, n, y.data<float>());
      return y;
    };
    for (const auto function : {&RowNormKernels::max, &RowNormKernels::l1, &RowNormKernels::l2}) {
      const Tensor want = run(supported_isas().front(), function);
      for (const Isa isa : supported_isas()) EXPECT_TRUE(identical(run(isa, function), want)) << n;
    }
  }
}

/// The reciprocals of these norms are infinite.
TEST(RowNormKernels, DivideByTinyNorms) {
  for (const int64_t n : {3, 17}) {
    const std::vector<float> x(size_t(n), 0x1p-140f), zeros(size_t(n), 0.0f);
    std::vector<float> y(size_t(n), 7.0f);
    for (const Isa isa : supported_isas()) {
      const RowNormKernels& kernels = kernels_for<RowNormKernels>(isa);
      kernels.max(x.data(), 1, n, y.data());
      EXPECT_EQ(y, std::vector<float>(size_t(n), 1.0f));
      kernels.l1(zeros.data(), 1, n, y.data());
      EXPECT_EQ(y, zeros);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
