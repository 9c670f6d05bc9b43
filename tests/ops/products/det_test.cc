#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Computes the determinant by expansion along the first row.
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

/// Computes the determinant by elimination with the largest of all elements as pivots, in long double.
double elimination(const double* from, int64_t n) {
  std::vector<long double> a(from, from + n * n);
  const auto at = [&](int64_t i, int64_t j) -> long double& { return a[size_t(i * n + j)]; };
  long double result = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t row = k, column = k;
    for (int64_t i = k; i < n; ++i) {
      for (int64_t j = k; j < n; ++j) {
        if (std::abs(at(i, j)) > std::abs(at(row, column))) row = i, column = j;
      }
    }
    for (int64_t j = 0; j < n; ++j) std::swap(at(k, j), at(row, j));
    for (int64_t i = 0; i < n; ++i) std::swap(at(i, k), at(i, column));
    result *= at(k, k) * ((row != k) == (column != k) ? 1 : -1);
    for (int64_t i = k + 1; i < n; ++i) {
      const long double factor = at(i, k) / at(k, k);
      for (int64_t j = k; j < n; ++j) at(i, j) -= factor * at(k, j);
    }
  }
  return double(result);
}

/// Rows are eliminated in blocks, the last of which may be smaller, and the rows below are updated in strips.
TEST(Det, LargeMatricesEqualTheElimination) {
  for (const int64_t n : {23, 24, 31, 63, 64, 67, 72, 130}) {
    Tensor x = cast_to(random_tensor({2, n, n}, unsigned(n)), DType::kFloat64);
    for (int64_t i = 0; i < x.size(); ++i) x.data<double>()[i] /= std::sqrt(double(n));
    const double* first = x.data<double>();
    const std::vector<double> want{elimination(first, n), elimination(first + n * n, n)};
    for (const Isa isa : supported_isas()) {
      const Tensor y = run_op({"Det", 22}, {x}, 1, {}, isa, 1)[0];
      for (int i = 0; i < 2; ++i) EXPECT_NEAR(y.data<double>()[i], want[size_t(i)], 1e-10 * std::abs(want[size_t(i)]));
      EXPECT_TRUE(identical(y, run_op({"Det", 22}, {x}, 1, {}, isa, 3)[0]));
    }
  }
}

TEST(Det, LargeMatricesWithAColumnOfZerosAreSingular) {
  for (const int64_t n : {30, 64}) {
    Tensor x = random_tensor({n, n}, 5);
    for (int64_t i = 0; i < n; ++i) x.data<float>()[i * n + 20] = 0;
    expect_close(run_op({"Det", 22}, {x})[0], Tensor::of(Shape{}, std::vector<float>{0}));
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
