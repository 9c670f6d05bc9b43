#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gemm/plan.h"
#include "gemm/weights.h"
#include "kernels/kernel_table.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet {
namespace {

using testing::Guarded;

int64_t even(int64_t n) { return (n + 1) / 2 * 2; }

/// Rows [tap][row][depth] at an even distance.
class TapRows final : public RowSource<int16_t> {
 public:
  TapRows(const int16_t* a, int64_t rows, int64_t depth) : a_(a), rows_(rows), depth_(depth) {}
  void rows(const RowBlock& block, const int16_t** pointers, std::byte* /*scratch*/) const override {
    for (int64_t t = 0; t < block.taps; ++t) {
      for (int64_t i = 0; i < block.rows; ++i) {
        *pointers++ = a_ + ((block.tap + t) * rows_ + block.row + i) * even(depth_) + block.k;
      }
    }
  }

 private:
  const int16_t* a_;
  int64_t rows_, depth_;
};

/// One product of int16 with all its operands at the end of a page. What follows the rows of an odd depth is no zero.
struct Case {
  Case(Isa isa, int64_t rows, int64_t columns, int64_t depth, int64_t of_taps = 1, int workers = 1)
      : m(rows),
        n(columns),
        k(depth),
        taps(of_taps),
        plan(kernel_table(isa).gemm<GemmS16>(),
             {.rows = m, .columns = n, .taps = taps, .depth = k, .workers = workers}),
        a(taps * m * even(k), 1),
        b(taps * k * n, 2),
        y(m * n, 3),
        packed(packed_size(plan.panels(), taps, k, GemmS16::kUnit)) {}

  /// [panel][tap][pair][column][2]
  void pack() {
    std::fill_n(packed.data(), packed.size(), int16_t{0});
    for (int64_t panel = 0; panel < plan.panels().count(); ++panel) {
      const int64_t first = plan.panels().first_column(panel);
      const int64_t width = plan.panels().first_column(panel + 1) - first;
      int16_t* to = packed.data() + panel_begin(plan.panels(), panel, taps, k, GemmS16::kUnit);
      for (int64_t i = 0; i < taps * k; ++i) {
        const int64_t row = i / k * (even(k) / 2) + i % k / 2;
        for (int64_t j = first; j < std::min(n, first + width); ++j) {
          to[(row * width + j - first) * 2 + i % k % 2] = b[i * n + j];
        }
      }
    }
  }

  void run() {
    pack();
    const TapRows rows(a.data(), m, k);
    std::vector<std::byte> scratch(plan.scratch_bytes());
    const GemmOperands<GemmS16> operands{.a = &rows, .b = packed.data(), .y = y.data(), .y_pitch = n};
    for (int64_t chunk = plan.chunks() - 1; chunk >= 0; --chunk) plan.run_chunk(operands, chunk, scratch.data());
  }

  /// The sum of products modulo 2^32.
  int32_t sum(int64_t i, int64_t j) const {
    int64_t total = 0;
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t p = 0; p < k; ++p) {
        total += int64_t{a[(t * m + i) * even(k) + p]} * int64_t{b[(t * k + p) * n + j]};
      }
    }
    return int32_t(uint32_t(total));
  }

  void expect_sums() const {
    for (int64_t i = 0; i < m * n; ++i) {
      ASSERT_EQ(y[i], sum(i / n, i % n)) << "m " << m << " n " << n << " k " << k << " taps " << taps << " at " << i;
    }
  }

  int64_t m, n, k, taps;
  GemmPlan<GemmS16> plan;
  Guarded<int16_t> a, b;
  Guarded<int32_t> y;
  Guarded<int16_t> packed;
};

class IntegerGemm : public ::testing::TestWithParam<Isa> {
 protected:
  int lanes() const { return kernel_table(GetParam()).gemm_s16.lanes; }

  void check(int64_t m, int64_t n, int64_t k, int64_t taps = 1, int workers = 1) const {
    Case c(GetParam(), m, n, k, taps, workers);
    c.run();
    c.expect_sums();
  }
};

TEST_P(IntegerGemm, EqualsTheSumOfProductsForAllTileHeightsAndPanelEdges) {
  for (int64_t m = 1; m <= 2 * kMostStripRows + 1; ++m) {
    for (const int64_t n : {1, 3, lanes() - 1, lanes(), lanes() + 1, 2 * lanes() - 1, 2 * lanes(), 3 * lanes() - 2,
                            3 * lanes(), 4 * lanes(), 5 * lanes() + 3, 8 * lanes(), 12 * lanes() + 5}) {
      check(m, n, 7);
    }
  }
}

TEST_P(IntegerGemm, EqualsTheSumOfProductsForDepthsFromNoneToSeveralBlocks) {
  for (const int64_t k : {0, 1, 2, 3, 5, 33, 512, 513, 1025, 1500}) {
    for (const int64_t n : {5, 37, 90}) check(14, n, k);
  }
}

TEST_P(IntegerGemm, SumsOverTapsOfOddDepthsInSeveralBlocks) {
  for (const int64_t k : {1, 3, 4, 65, 255}) {
    for (const int64_t taps : {2, 9, 25}) check(7, 2 * lanes() + 1, k, taps);
  }
}

TEST_P(IntegerGemm, EqualsTheSumOfProductsForAnyNumberOfWorkers) {
  for (const int workers : {1, 2, 16}) check(200, 20 * lanes() + 5, 600, 1, workers);
}

TEST_P(IntegerGemm, WrapsModulo2To32) {
  Case c(GetParam(), 3, lanes() + 1, 70001);
  std::fill_n(c.a.data(), c.a.size(), int16_t{-255});
  std::fill_n(c.b.data(), c.b.size(), int16_t{255});
  c.run();
  c.expect_sums();
  EXPECT_EQ(c.y[0], int32_t(uint32_t(-int64_t{70001} * 255 * 255)));
}

TEST_P(IntegerGemm, PutsAChunkWhereItIsAskedFor) {
  Case c(GetParam(), 300, 9 * lanes(), 400, 1, 4);
  c.pack();
  const TapRows rows(c.a.data(), c.m, c.k);
  std::vector<std::byte> scratch(c.plan.scratch_bytes());
  ASSERT_GT(c.plan.chunks(), 1);
  int64_t values = 0;
  for (int64_t chunk = 0; chunk < c.plan.chunks(); ++chunk) {
    const Span lines = c.plan.blocks().rows_of(chunk), columns = c.plan.blocks().columns_of(chunk);
    ASSERT_LE(lines.size() * columns.size(), c.plan.blocks().most_chunk_values());
    Guarded<int32_t> part(lines.size() * columns.size());
    c.plan.run_chunk({.a = &rows,
                      .b = c.packed.data(),
                      .y = part.data(),
                      .y_pitch = columns.size(),
                      .y_row = lines.begin,
                      .y_column = columns.begin},
                     chunk, scratch.data());
    for (int64_t i = 0; i < part.size(); ++i) {
      ASSERT_EQ(part[i], c.sum(lines.begin + i / columns.size(), columns.begin + i % columns.size()));
    }
    values += part.size();
  }
  EXPECT_EQ(values, c.m * c.n);
}

INSTANTIATE_TEST_SUITE_P(Isas, IntegerGemm, ::testing::ValuesIn(testing::supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

}  // namespace
}  // namespace linnet
