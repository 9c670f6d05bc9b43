#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gemm/packed_gemm.h"
#include "kernels/kernel_table.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet {
namespace {

using testing::GuardedFloats;

/// One product with all its operands at the end of a page.
struct Case {
  Case(const GemmKernels& kernels, int64_t rows, int64_t columns, int64_t depth)
      : m(rows), n(columns), k(depth), a(m * k, 1), b(k * n, 2), y(m * n, 3), packed(floats(kernels, n, k)) {
    GemmWeights weights;
    weights.data = b.data();
    weights.depth = k;
    weights.columns = n;
    weights.depth_stride = n;
    weights.column_stride = 1;
    pack_weights(weights, kernels.panel_columns, packed.data());
  }

  static int64_t floats(const GemmKernels& kernels, int64_t n, int64_t k) {
    GemmWeights weights;
    weights.depth = k;
    weights.columns = n;
    return packed_floats(weights, kernels.panel_columns);
  }

  void run(const GemmKernels& kernels, const Epilogue& epilogue, int workers = 1) {
    const MatrixRows rows(a.data(), k);
    GemmPlan::Sizes sizes;
    sizes.rows = m;
    sizes.columns = n;
    sizes.depth = k;
    sizes.workers = workers;
    sizes.source_scratch_bytes = MatrixRows::scratch_bytes(kernels, k, k);
    const GemmPlan plan(kernels, sizes);
    std::vector<std::byte> scratch(plan.scratch_bytes());
    GemmOperands operands;
    operands.a = &rows;
    operands.b = packed.data();
    operands.y = y.data();
    operands.y_pitch = n;
    operands.epilogue = epilogue;
    for (int64_t chunk = plan.chunks() - 1; chunk >= 0; --chunk) plan.run_chunk(operands, chunk, scratch.data());
  }

  /// The exact sum of products, and the sum of their magnitudes, which bounds the rounding error.
  std::pair<double, double> sum(int64_t i, int64_t j) const {
    double total = 0, magnitude = 0;
    for (int64_t p = 0; p < k; ++p) {
      const double product = double(a[i * k + p]) * double(b[p * n + j]);
      total += product;
      magnitude += std::abs(product);
    }
    return {total, magnitude};
  }

  int64_t m, n, k;
  GuardedFloats a, b, y, packed;
};

class Gemm : public ::testing::TestWithParam<Isa> {
 protected:
  const GemmKernels& kernels() const { return kernel_table(GetParam()).gemm; }
};

TEST_P(Gemm, EqualsTheSumOfProductsForAllTileHeightsAndPanelEdges) {
  const int panel = kernels().panel_columns;
  for (int64_t m = 1; m <= 2 * kernels().tile_rows + 1; ++m) {
    for (const int64_t n :
         {1, 3, panel / 2, panel / 2 + 1, panel, panel + 1, 2 * panel - 1, 4 * panel, 6 * panel + 5}) {
      Case c(kernels(), m, n, 7);
      c.run(kernels(), {});
      for (int64_t i = 0; i < m * n; ++i) {
        const auto [want, magnitude] = c.sum(i / n, i % n);
        ASSERT_NEAR(c.y[i], want, 1e-6 * magnitude) << "m " << m << " n " << n << " at " << i;
      }
    }
  }
}

TEST_P(Gemm, EqualsTheSumOfProductsForDepthsFromNoneToSeveralBlocks) {
  for (const int64_t k : {0, 1, 2, 33, 400, 1024, 1500}) {
    Case c(kernels(), 14, 37, k);
    c.run(kernels(), {});
    for (int64_t i = 0; i < c.m * c.n; ++i) {
      const auto [want, magnitude] = c.sum(i / c.n, i % c.n);
      ASSERT_NEAR(c.y[i], want, 1e-5 * magnitude) << "k " << k << " at " << i;
    }
  }
}

TEST_P(Gemm, EqualsTheSumOfProductsForSeveralGroupsOfPanelsAndAnyNumberOfWorkers) {
  const int64_t n = 20 * kernels().panel_columns + 5;
  Case c(kernels(), 30, n, 600);
  c.run(kernels(), {});
  for (int64_t i = 0; i < c.m * n; ++i) {
    const auto [want, magnitude] = c.sum(i / n, i % n);
    ASSERT_NEAR(c.y[i], want, 1e-5 * magnitude) << "at " << i;
  }
  const std::vector<float> once(c.y.data(), c.y.data() + c.m * n);
  for (const int workers : {2, 16}) {
    c.run(kernels(), {}, workers);
    ASSERT_TRUE(std::equal(once.begin(), once.end(), c.y.data())) << workers << " workers";
  }
}

void double_and_add(const float* x, float* y, int64_t n, float alpha, float beta) {
  for (int64_t i = 0; i < n; ++i) y[i] = alpha * x[i] + beta;
}

TEST_P(Gemm, AddsBiasAndResidualThenClampsThenActivates) {
  for (const bool activates : {false, true}) {
    for (const int64_t n : {1, 5, kernels().panel_columns, 3 * kernels().panel_columns + 7}) {
      for (const int64_t k : {3, 500}) {
        Case c(kernels(), 13, n, k);
        const GuardedFloats bias(n, 4), residual(13 * n, 5);
        Epilogue epilogue;
        epilogue.bias = bias.data();
        epilogue.residual = residual.data();
        epilogue.residual_pitch = n;
        epilogue.low = -1.5f;
        epilogue.high = 2.5f;
        if (activates) epilogue.activation = double_and_add;
        epilogue.alpha = 2;
        epilogue.beta = 0.25f;
        c.run(kernels(), epilogue);
        for (int64_t i = 0; i < c.m * n; ++i) {
          const auto [sum, magnitude] = c.sum(i / n, i % n);
          const double clamped = std::fmin(2.5, std::fmax(-1.5, sum + double(bias[i % n]) + double(residual[i])));
          const double want = activates ? 2 * clamped + 0.25 : clamped;
          ASSERT_NEAR(c.y[i], want, 1e-5 * (magnitude + 2)) << "n " << n << " k " << k << " at " << i;
        }
      }
    }
  }
}

TEST_P(Gemm, KeepsNaNAndInfinityThroughTheClamp) {
  Case c(kernels(), 1, 3, 1);
  for (float& factor : {std::ref(c.packed[0]), std::ref(c.packed[1]), std::ref(c.packed[2])}) factor = 1;
  c.a[0] = NAN;
  Epilogue relu;
  relu.low = 0;
  relu.high = 6;
  c.run(kernels(), relu);
  EXPECT_TRUE(std::isnan(c.y[0]));
  c.a[0] = -INFINITY;
  c.run(kernels(), relu);
  EXPECT_EQ(c.y[0], 0.f);
  c.run(kernels(), {});
  EXPECT_EQ(c.y[0], -INFINITY);
}

TEST_P(Gemm, GivesTheSameBitsForARowWhateverTheNumberOfRows) {
  const int64_t n = 70, k = 450;
  Case all(kernels(), 29, n, k);
  all.run(kernels(), {});
  for (const int64_t m : {1, 2, 5, 17}) {
    Case some(kernels(), m, n, k);
    std::copy_n(all.a.data(), m * k, some.a.data());
    some.run(kernels(), {});
    for (int64_t i = 0; i < m * n; ++i) ASSERT_EQ(some.y[i], all.y[i]) << "m " << m << " at " << i;
  }
}

TEST_P(Gemm, SumsOverTapsGivenByPointers) {
  const int64_t depth = 5, columns = 9;
  const int rows = 3, taps = 4;
  const GuardedFloats x(50, 6), w(taps * depth * columns, 7);
  GemmWeights weights{.data = w.data(), .taps = taps, .depth = depth, .columns = columns};
  weights.tap_stride = 1;
  weights.depth_stride = taps;
  weights.column_stride = taps * depth;
  GuardedFloats packed(packed_floats(weights, kernels().panel_columns)), y(rows * columns);
  pack_weights(weights, kernels().panel_columns, packed.data());
  std::vector<const float*> a;
  for (int t = 0; t < taps; ++t) {
    for (int i = 0; i < rows; ++i) a.push_back(x.data() + (7 * t + 11 * i) % 45);
  }
  GemmStrip strip;
  strip.rows = rows;
  strip.columns = columns;
  strip.taps = taps;
  strip.depth = depth;
  strip.a = a.data();
  strip.b = packed.data();
  strip.panel_pitch = taps * depth * kernels().panel_columns;
  strip.y = y.data();
  strip.y_pitch = columns;
  kernels().strip(strip);
  for (int i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      double want = 0;
      for (int64_t p = 0; p < taps * depth; ++p) {
        want += double(x[(7 * (p % taps) + 11 * i) % 45 + p / taps]) * double(w[j * taps * depth + p]);
      }
      ASSERT_NEAR(y[i * columns + j], want, 1e-5) << i << " " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Gemm, ::testing::ValuesIn(testing::supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

}  // namespace
}  // namespace linnet
