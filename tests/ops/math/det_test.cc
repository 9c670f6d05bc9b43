#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// By expansion along the first row.
double expansion(const std::vector<double>& a, int64_t n) {
  if (n == 0) return 1;
  double sum = 0;
  for (int64_t j = 0; j < n; ++j) {
    std::vector<double> minor;
    for (int64_t i = 1; i < n; ++i) {
      for (int64_t k = 0; k < n; ++k) {
        if (k != j) minor.push_back(a[size_t(i * n + k)]);
      }
    }
    sum += (j % 2 == 0 ? 1 : -1) * a[size_t(j)] * expansion(minor, n - 1);
  }
  return sum;
}

TEST(Det, EqualsTheExpansion) {
  for (const int64_t n : {0, 1, 2, 3, 6}) {
    const Tensor x = random_tensor({2, 3, n, n});
    std::vector<float> want;
    for (int64_t i = 0; i < 6; ++i) {
      const float* matrix = x.data<float>() + i * n * n;
      want.push_back(float(expansion({matrix, matrix + n * n}, n)));
    }
    expect_close(run_op({"Det", 11}, {x})[0], Tensor::of({2, 3}, want), 1e-6, 1e-6);
  }
}

TEST(Det, NeedsPivotsAndFindsSingularMatrices) {
  const Tensor x = Tensor::of<double>({3, 2, 2}, {0, 1, 1, 0, 1, 2, 2, 4, 0, 0, 0, 0});
  expect_close(run_op({"Det", 22}, {x})[0], Tensor::of<double>({-1, 0, 0}));
  expect_close(run_op({"Det", 22}, {cast_to(cast_to(x, DType::kFloat32), DType::kBFloat16)})[0],
               cast_to(Tensor::of<float>({-1, 0, 0}), DType::kBFloat16));
  expect_error(ErrorKind::kShape, "rows and columns", [] { run_op({"Det", 11}, {random_tensor({2, 3})}); });
}

}  // namespace
}  // namespace linnet::testing
