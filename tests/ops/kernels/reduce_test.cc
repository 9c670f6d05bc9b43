#include "kernels/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct Reduction {
  const char* name;
  ReduceKernels::Pair ReduceKernels::*pair;
  double (*join)(double result, double x);
  bool sums;
};

const Reduction kReductions[] = {
    {"sum", &ReduceKernels::sum, [](double r, double x) { return r + x; }, true},
    {"sum_abs", &ReduceKernels::sum_abs, [](double r, double x) { return r + std::abs(x); }, true},
    {"sum_square", &ReduceKernels::sum_square, [](double r, double x) { return r + x * x; }, true},
    {"max", &ReduceKernels::max, [](double r, double x) { return std::fmax(r, x); }, false},
    {"min", &ReduceKernels::min, [](double r, double x) { return std::fmin(r, x); }, false},
};

/// Computes the reduction of n values at a distance of `stride`.
double reduction_reference(const Reduction& reduction, const float* x, int64_t n, int64_t stride) {
  double result = reduction.sums ? 0 : double(x[0]);
  for (int64_t i = 0; i < n; ++i) result = reduction.join(result, double(x[i * stride]));
  return result;
}

TEST(ReduceKernels, RowsMatchDoublePrecision) {
  for (const Isa isa : supported_isas()) {
    for (const Reduction& reduction : kReductions) {
      for (const int64_t n : {1, 2, 15, 16, 17, 31, 100, 1023, 5000, 300000}) {
        const Tensor x = random_uniform({n}, -1, 3, unsigned(n));
        const double want = reduction_reference(reduction, x.data<float>(), n, 1);
        const double got = double((kernels_for<ReduceKernels>(isa).*reduction.pair).row(x.data<float>(), n));
        EXPECT_NEAR(got, want, reduction.sums ? 1e-6 * std::abs(want) : 0) << reduction.name << ' ' << n;
      }
    }
  }
}

TEST(ReduceKernels, ColumnsMatchDoublePrecision) {
  const int64_t pitch = 150;
  for (const Isa isa : supported_isas()) {
    for (const Reduction& reduction : kReductions) {
      for (const int64_t rows : {1, 3, 64, 65, 700}) {
        const Tensor x = random_uniform({rows, pitch}, -1, 3, unsigned(rows));
        for (const int64_t columns : {1, 15, 16, 64, 150}) {
          std::vector<float> y(size_t(columns) + 1, 42.0f);
          (kernels_for<ReduceKernels>(isa).*reduction.pair).columns(x.data<float>(), y.data(), rows, pitch, columns);
          for (int64_t c = 0; c < columns; ++c) {
            const double want = reduction_reference(reduction, x.data<float>() + c, rows, pitch);
            ASSERT_NEAR(double(y[size_t(c)]), want, reduction.sums ? 2e-6 * (1 + std::abs(want)) : 0) << reduction.name;
          }
          EXPECT_EQ(y.back(), 42.0f);
        }
      }
    }
  }
}

TEST(ReduceKernels, ExtremesPropagateNanFromAnyPosition) {
  for (const Isa isa : supported_isas()) {
    const ReduceKernels& kernels = kernels_for<ReduceKernels>(isa);
    for (int64_t position = 0; position < 40; ++position) {
      std::vector<float> x(40, 1.0f), y(1);
      x[size_t(position)] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(std::isnan(kernels.max.row(x.data(), 40)));
      EXPECT_TRUE(std::isnan(kernels.min.row(x.data(), 40)));
      kernels.max.columns(x.data(), y.data(), 40, 1, 1);
      EXPECT_TRUE(std::isnan(y[0]));
    }
  }
}

TEST(ReduceKernels, DotsMatchDoublePrecision) {
  for (const Isa isa : supported_isas()) {
    for (const int64_t n : {0, 1, 7, 8, 31, 64, 1000, 5000}) {
      const Tensor a = random_tensor({n}, 1), b = random_tensor({n}, 2);
      double want = 0, magnitude = 0;
      for (int64_t i = 0; i < n; ++i) {
        const double product = double(a.data<float>()[i]) * double(b.data<float>()[i]);
        want += product;
        magnitude += std::abs(product);
      }
      EXPECT_NEAR(double(kernels_for<ReduceKernels>(isa).dot(a.data<float>(), b.data<float>(), n)), want,
                  1e-6 * magnitude)
          << n;
    }
  }
}

TEST(ReduceKernels, DotsOfRowsHaveTheBitsOfOneDot) {
  for (const Isa isa : supported_isas()) {
    const ReduceKernels& kernels = kernels_for<ReduceKernels>(isa);
    for (const int64_t n : {0, 1, 7, 31, 64, 1000, 5000}) {
      const int64_t pitch = n + 3;
      const Tensor x = random_tensor({9, pitch}, 1), v = random_tensor({n}, 2);
      for (int64_t rows = 0; rows <= 9; ++rows) {
        std::vector<float> y(10, 42.0f);
        kernels.dots(x.data<float>(), rows, pitch, v.data<float>(), n, y.data());
        for (int64_t r = 0; r < 10; ++r) {
          const float want = r < rows ? kernels.dot(x.data<float>() + r * pitch, v.data<float>(), n) : 42.0f;
          EXPECT_EQ(y[size_t(r)], want) << r << " of " << rows << " rows of " << n;
        }
      }
    }
  }
}

TEST(ReduceKernels, AddsRowsAndNothingBetweenThem) {
  for (const Isa isa : supported_isas()) {
    for (int64_t n = 0; n < 40; ++n) {
      const Tensor x = random_tensor({3, n + 2}, 1), before = random_tensor({3, n + 5}, 2);
      std::vector<float> y(before.data<float>(), before.data<float>() + before.size());
      kernels_for<ReduceKernels>(isa).add_rows(x.data<float>(), n + 2, y.data(), n + 5, 3, n);
      for (int64_t r = 0; r < 3; ++r) {
        for (int64_t i = 0; i < n + 5; ++i) {
          const float old = before.data<float>()[r * (n + 5) + i];
          EXPECT_EQ(y[size_t(r * (n + 5) + i)], i < n ? old + x.data<float>()[r * (n + 2) + i] : old) << n << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace linnet::testing
