#include "gemm/product_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gemm/weights.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "ops/gemm/recorded_machines.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

template <class T>
const GemmKernels<GemmReal<T>>& kernels_of(Isa isa) {
  return kernels_for<GemmKernels<GemmReal<T>>>(isa);
}

/// A product with all its operands at the end of a page.
template <class T>
struct Case {
  using Type = GemmReal<T>;

  Case(Isa isa, int64_t rows, int64_t columns, int64_t depth, int workers = 1, const Machine& machine = this_machine())
      : m(rows),
        n(columns),
        k(depth),
        plan(kernels_of<T>(isa), sizes(workers), machine),
        a(m * k, 1),
        b(k * n, 2),
        y(m * n, 3),
        packed(packed_size(plan.panels(), 1, k)) {
    GemmWeights<T> weights;
    weights.data = b.data();
    weights.depth = k;
    weights.columns = n;
    weights.depth_stride = n;
    weights.column_stride = 1;
    pack_weights(weights, plan.panels(), packed.data());
  }

  GemmSizes sizes(int workers) const {
    return {.rows = m,
            .columns = n,
            .depth = k,
            .workers = workers,
            .row_scratch_bytes = MatrixRows<T>::scratch_bytes(k, k)};
  }

  void run(const BasicEpilogue<T>& epilogue = {}) {
    const MatrixRows<T> rows(a.data(), k);
    std::vector<std::byte> scratch(plan.scratch_bytes());
    GemmOperands<Type> operands{.a = &rows, .b = packed.data(), .y = y.data(), .y_pitch = n, .epilogue = epilogue};
    for (int64_t chunk = plan.chunks() - 1; chunk >= 0; --chunk) plan.run_chunk(operands, chunk, scratch.data());
  }

  /// Returns the sum of products in at least double precision, and the sum of their magnitudes, which bounds the
  /// rounding error.
  std::pair<long double, long double> sum(int64_t i, int64_t j) const {
    long double total = 0, magnitude = 0;
    for (int64_t p = 0; p < k; ++p) {
      const long double product = static_cast<long double>(a[i * k + p]) * static_cast<long double>(b[p * n + j]);
      total += product;
      magnitude += std::abs(product);
    }
    return {total, magnitude};
  }

  /// Expects every element within `ulps` rounding errors of the sum of magnitudes.
  void expect_sums(double ulps, const std::string& what) const {
    for (int64_t i = 0; i < m * n; ++i) {
      const auto [want, magnitude] = sum(i / n, i % n);
      const double bound = ulps * double(std::numeric_limits<T>::epsilon()) * double(magnitude);
      ASSERT_NEAR(double(y[i]), double(want), bound) << what << " m " << m << " n " << n << " k " << k << " at " << i;
    }
  }

  int64_t m, n, k;
  GemmPlan<Type> plan;
  Guarded<T> a, b, y, packed;
};

class Gemm : public ::testing::TestWithParam<Isa> {
 protected:
  int lanes() const { return kernels_for<GemmKernels<GemmF32>>(GetParam()).lanes; }
};

template <class T>
void expect_all_sizes(Isa isa) {
  const int lanes = kernels_of<T>(isa).lanes;
  for (int64_t m = 1; m <= 2 * kMostStripRows + 1; ++m) {
    for (const int64_t n : {1, 3, lanes - 1, lanes, lanes + 1, 2 * lanes - 1, 2 * lanes, 3 * lanes - 2, 3 * lanes,
                            4 * lanes, 5 * lanes, 5 * lanes + 3, 7 * lanes - 1, 12 * lanes + 5}) {
      Case<T> c(isa, m, n, 7);
      c.run();
      c.expect_sums(10, "");
    }
  }
}

TEST_P(Gemm, EqualsTheSumOfProductsForAllTileHeightsAndPanelEdges) {
  expect_all_sizes<float>(GetParam());
  expect_all_sizes<double>(GetParam());
}

template <class T>
void expect_all_depths(Isa isa) {
  for (const int64_t k : {0, 1, 2, 3, 33, 400, 1024, 1500}) {
    for (const int64_t n : {5, 37, 90}) {
      Case<T> c(isa, 14, n, k);
      c.run();
      c.expect_sums(100, "");
    }
  }
}

TEST_P(Gemm, EqualsTheSumOfProductsForDepthsFromNoneToSeveralBlocks) {
  expect_all_depths<float>(GetParam());
  expect_all_depths<double>(GetParam());
}

TEST_P(Gemm, EqualsTheSumOfProductsForSeveralGroupsOfPanelsAndAnyNumberOfWorkers) {
  const int64_t n = 40 * lanes() + 5;
  std::vector<float> once;
  for (const int workers : {1, 2, 16}) {
    Case<float> c(GetParam(), 30, n, 600, workers);
    c.run();
    if (once.empty()) {
      c.expect_sums(100, "");
      once.assign(c.y.data(), c.y.data() + c.m * n);
    }
    ASSERT_TRUE(std::equal(once.begin(), once.end(), c.y.data())) << workers << " workers";
  }
}

void double_and_add(const float* x, float* y, int64_t n, float alpha, float beta) {
  for (int64_t i = 0; i < n; ++i) y[i] = alpha * x[i] + beta;
}

TEST_P(Gemm, AddsBiasAndResidualThenClampsThenActivates) {
  for (const bool activates : {false, true}) {
    for (const int64_t n : {1, 5, 2 * lanes(), 3 * lanes() - 5, 7 * lanes() + 7}) {
      for (const int64_t k : {3, 600}) {
        Case<float> c(GetParam(), 13, n, k);
        const Guarded<float> bias(n, 4), residual(13 * n, 5), slope(n, 6);
        Epilogue epilogue;
        epilogue.bias = bias.data();
        epilogue.residual = residual.data();
        epilogue.residual_pitch = n;
        epilogue.slope = slope.data();
        epilogue.low = -1.5f;
        epilogue.high = 2.5f;
        if (activates) epilogue.activation = double_and_add;
        epilogue.alpha = 2;
        epilogue.beta = 0.25f;
        c.run(epilogue);
        for (int64_t i = 0; i < c.m * n; ++i) {
          const auto [sum, magnitude] = c.sum(i / n, i % n);
          const double added = double(sum) + double(bias[i % n]) + double(residual[i]);
          const double sloped = added < 0 ? added * double(slope[i % n]) : added;
          const double clamped = std::fmin(2.5, std::fmax(-1.5, sloped));
          const double want = activates ? 2 * clamped + 0.25 : clamped;
          ASSERT_NEAR(c.y[i], want, 2e-5 * (double(magnitude) + 2)) << "n " << n << " k " << k << " at " << i;
        }
      }
    }
  }
}

TEST_P(Gemm, KeepsNaNAndInfinityThroughTheClamp) {
  Case<float> c(GetParam(), 1, 3, 1);
  std::fill_n(c.packed.data(), c.packed.size(), 1.f);
  c.a[0] = NAN;
  Epilogue relu;
  relu.low = 0;
  relu.high = 6;
  c.run(relu);
  EXPECT_TRUE(std::isnan(c.y[0]));
  c.a[0] = -INFINITY;
  c.run(relu);
  EXPECT_EQ(c.y[0], 0.f);
  c.run();
  EXPECT_EQ(c.y[0], -INFINITY);
}

TEST_P(Gemm, GivesTheSameBitsForARowWhateverTheNumberOfRows) {
  for (const int64_t n : {5, 24, 70, 600}) {
    const int64_t k = 450;
    Case<float> all(GetParam(), 53, n, k);
    all.run();
    for (const int64_t m : {1, 2, 5, 17, 25}) {
      Case<float> some(GetParam(), m, n, k);
      std::copy_n(all.a.data(), m * k, some.a.data());
      some.run();
      for (int64_t i = 0; i < m * n; ++i) ASSERT_EQ(some.y[i], all.y[i]) << "m " << m << " n " << n << " at " << i;
    }
  }
}

template <class T>
void expect_same_bits_on_all_machines(Isa isa) {
  for (const int64_t m : {1, 7, 16, 53}) {
    for (const int64_t n : {5, 70, 600}) {
      for (const int64_t k : {64, 600, 1024}) {
        Case<T> one(isa, m, n, k);
        one.run();
        for (const RecordedMachine& machine : kRecorded) {
          Case<T> other(isa, m, n, k, 1, machine.machine());
          other.run();
          ASSERT_TRUE(std::equal(one.y.data(), one.y.data() + m * n, other.y.data()))
              << machine.name << " m " << m << " n " << n << " k " << k;
        }
      }
    }
  }
}

TEST_P(Gemm, GivesTheSameBitsWithTheTilesOfEveryMachine) {
  expect_same_bits_on_all_machines<float>(GetParam());
  expect_same_bits_on_all_machines<double>(GetParam());
}

TEST_P(Gemm, SumsOverTapsGivenByPointers) {
  const int64_t depth = 5, columns = 9;
  const int rows = 3, taps = 4;
  const Guarded<float> x(50, 6), w(taps * depth * columns, 7);
  GemmWeights<float> weights{.data = w.data(), .taps = taps, .depth = depth, .columns = columns};
  weights.tap_stride = 1;
  weights.depth_stride = taps;
  weights.column_stride = taps * depth;
  const GemmKernels<GemmF32>& kernels = kernels_of<float>(GetParam());
  const GemmPanels panels = choose_panels(kernels, columns, taps * depth);
  Guarded<float> packed(packed_size(panels, taps, depth)), y(rows * columns);
  pack_weights(weights, panels, packed.data());
  std::vector<const float*> a;
  for (int t = 0; t < taps; ++t) {
    for (int i = 0; i < rows; ++i) a.push_back(x.data() + (7 * t + 11 * i) % 45);
  }
  GemmStrip<GemmF32> strip;
  strip.rows = rows;
  strip.taps = taps;
  strip.depth = depth;
  strip.a = a.data();
  strip.panels = &panels;
  strip.panel_end = panels.count();
  strip.b = packed.data();
  strip.b_rows = taps * depth;
  strip.y = y.data();
  strip.y_pitch = columns;
  kernels.strip(strip);
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

INSTANTIATE_TEST_SUITE_P(Isas, Gemm, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

/// Returns the number of vectors of all panels. Checks that panels cover the columns in order.
int64_t check_panels(const GemmPanels& panels, const TileFamily& tiles) {
  int64_t column = 0;
  for (int64_t panel = 0; panel < panels.count(); ++panel) {
    EXPECT_EQ(panels.first_column(panel), column);
    EXPECT_GT(tiles.tile_rows[panels.run_from(panel).width - 1], 0);
    column += panels.run_from(panel).width * panels.lanes;
  }
  return column / panels.lanes;
}

TEST_P(Gemm, CutsColumnsIntoPanelsWithoutAnEmptyVector) {
  for (const int64_t steps : {1, 16, 64, 300, 5000}) {
    for (int64_t columns = 1; columns < 20 * lanes(); ++columns) {
      const GemmPanels panels = choose_panels(kernels_for<GemmKernels<GemmF32>>(GetParam()), columns, steps);
      const int64_t vectors = check_panels(panels, kernels_for<GemmKernels<GemmF32>>(GetParam()));
      ASSERT_EQ(vectors, (columns + lanes() - 1) / lanes()) << columns << " columns, " << steps << " steps";
    }
  }
}

TEST_P(Gemm, DividesRowsIntoTilesOfWhichNoneIsThin) {
  const TileFamily& tiles = kernels_for<GemmKernels<GemmF32>>(GetParam());
  for (const int64_t columns : {8, 16, 24, 40, 80, 112, 1000}) {
    const GemmPanels panels = choose_panels(tiles, columns, 64);
    for (int64_t rows = 1; rows < 300; ++rows) {
      const int height = choose_strip_rows(tiles, panels, rows, 64);
      ASSERT_LE(height, tiles.strip_rows);
      const int64_t strips = (rows + height - 1) / height;
      const int64_t least = rows / strips;
      for (const GemmPanels::Run& run : panels.runs) {
        if (run.count == 0 || rows < tiles.tile_rows[run.width - 1]) continue;
        ASSERT_GE(3 * divided_rows(tiles, int(least), run.width), tiles.tile_rows[run.width - 1])
            << rows << " rows, " << columns << " columns";
      }
    }
  }
}

}  // namespace
}  // namespace linnet::testing
