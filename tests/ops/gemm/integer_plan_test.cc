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

template <class Type>
int64_t padded(int64_t n) {
  return (n + Type::kUnit - 1) / Type::kUnit * Type::kUnit;
}

/// Rows [tap][row][depth] at a distance of whole units.
template <class Type>
class TapRows final : public RowSource<typename Type::A> {
 public:
  using A = typename Type::A;

  TapRows(const A* a, int64_t rows, int64_t depth) : a_(a), rows_(rows), depth_(depth) {}
  void rows(const RowBlock& block, const A** pointers, std::byte* /*scratch*/) const override {
    for (int64_t t = 0; t < block.taps; ++t) {
      for (int64_t i = 0; i < block.rows; ++i) {
        *pointers++ = a_ + ((block.tap + t) * rows_ + block.row + i) * padded<Type>(depth_) + block.k;
      }
    }
  }

 private:
  const A* a_;
  int64_t rows_, depth_;
};

/// One product with all its operands at the end of a page. What follows rows that are no whole units is no zero.
template <class Type>
struct Case {
  using A = typename Type::A;
  using B = typename Type::B;
  static constexpr int kUnit = Type::kUnit;

  Case(Isa isa, int64_t rows, int64_t columns, int64_t depth, int64_t of_taps = 1, int workers = 1)
      : m(rows),
        n(columns),
        k(depth),
        taps(of_taps),
        a_shift(kernel_table(isa).gemm<Type>().a_shift),
        plan(kernel_table(isa).gemm<Type>(), {.rows = m, .columns = n, .taps = taps, .depth = k, .workers = workers}),
        a(taps * m * padded<Type>(k), 1),
        b(taps * k * n, 2),
        y(m * n, 3),
        packed(packed_size(plan.panels(), taps, k, kUnit)) {
    if (kernel_table(isa).gemm<Type>().narrow) narrow_weights();
  }

  /// Weights of which two neighbours never leave 16 bits.
  void narrow_weights() {
    for (int64_t i = 0; i < b.size(); ++i) b[i] = B(b[i] / 2);
  }

  /// [panel][tap][step][column][unit]
  void pack() {
    std::fill_n(packed.data(), packed.size(), B{0});
    for (int64_t panel = 0; panel < plan.panels().count(); ++panel) {
      const int64_t first = plan.panels().first_column(panel);
      const int64_t width = plan.panels().first_column(panel + 1) - first;
      B* to = packed.data() + panel_begin(plan.panels(), panel, taps, k, kUnit);
      for (int64_t i = 0; i < taps * k; ++i) {
        const int64_t row = (i / k * padded<Type>(k) + i % k) / kUnit;
        for (int64_t j = first; j < std::min(n, first + width); ++j) {
          to[(row * width + j - first) * kUnit + i % k % kUnit] = b[i * n + j];
        }
      }
    }
  }

  void run() {
    pack();
    const TapRows<Type> rows(a.data(), m, k);
    std::vector<std::byte> scratch(plan.scratch_bytes());
    const GemmOperands<Type> operands{.a = &rows, .b = packed.data(), .y = y.data(), .y_pitch = n};
    for (int64_t chunk = plan.chunks() - 1; chunk >= 0; --chunk) plan.run_chunk(operands, chunk, scratch.data());
  }

  /// The sum of products modulo 2^32, as the kernel shifts A.
  int32_t sum(int64_t i, int64_t j) const {
    int64_t total = 0;
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t p = 0; p < k; ++p) {
        total += (a[(t * m + i) * padded<Type>(k) + p] - a_shift) * int64_t{b[(t * k + p) * n + j]};
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
  int64_t a_shift;
  GemmPlan<Type> plan;
  Guarded<A> a;
  Guarded<B> b;
  Guarded<int32_t> y;
  Guarded<B> packed;
};

template <class Type>
void check(Isa isa, int64_t m, int64_t n, int64_t k, int64_t taps = 1, int workers = 1) {
  if (!kernel_table(isa).gemm<Type>().strip) return;
  Case<Type> c(isa, m, n, k, taps, workers);
  c.run();
  c.expect_sums();
}

class IntegerGemm : public ::testing::TestWithParam<Isa> {
 protected:
  int lanes() const { return kernel_table(GetParam()).gemm_s16.lanes; }

  void check_all(int64_t m, int64_t n, int64_t k, int64_t taps = 1, int workers = 1) const {
    check<GemmS16>(GetParam(), m, n, k, taps, workers);
    check<GemmU8>(GetParam(), m, n, k, taps, workers);
  }
};

TEST_P(IntegerGemm, EqualsTheSumOfProductsForAllTileHeightsAndPanelEdges) {
  for (int64_t m = 1; m <= 2 * kMostStripRows + 1; ++m) {
    for (const int64_t n : {1, 3, lanes() - 1, lanes(), lanes() + 1, 2 * lanes() - 1, 2 * lanes(), 3 * lanes() - 2,
                            3 * lanes(), 4 * lanes(), 5 * lanes() + 3, 8 * lanes(), 12 * lanes() + 5}) {
      check_all(m, n, 7);
    }
  }
}

TEST_P(IntegerGemm, EqualsTheSumOfProductsForAnyDepth) {
  for (const int64_t k : {0, 1, 2, 3, 5, 33, 512, 513, 1025, 1500}) {
    for (const int64_t n : {5, 37, 90}) check_all(14, n, k);
  }
}

TEST_P(IntegerGemm, SumsOverTapsOfDepthsThatAreNoWholeUnits) {
  for (const int64_t k : {1, 3, 4, 65, 255}) {
    for (const int64_t taps : {2, 9, 25}) check_all(7, 2 * lanes() + 1, k, taps);
  }
}

TEST_P(IntegerGemm, EqualsTheSumOfProductsForAnyNumberOfWorkers) {
  for (const int workers : {1, 2, 16}) check_all(200, 20 * lanes() + 5, 600, 1, workers);
}

TEST_P(IntegerGemm, WrapsModulo2To32) {
  Case<GemmS16> c(GetParam(), 3, lanes() + 1, 70001);
  std::fill_n(c.a.data(), c.a.size(), int16_t{-255});
  std::fill_n(c.b.data(), c.b.size(), int16_t{255});
  c.run();
  c.expect_sums();
  EXPECT_EQ(c.y[0], int32_t(uint32_t(-int64_t{70001} * 255 * 255)));
}

TEST_P(IntegerGemm, IsExactForTheGreatestBytes) {
  const GemmKernels<GemmU8>& kernels = kernel_table(GetParam()).gemm_u8;
  if (!kernels.strip) return;
  Case<GemmU8> c(GetParam(), 3, lanes() + 1, 70001);
  std::fill_n(c.a.data(), c.a.size(), uint8_t{255});
  std::fill_n(c.b.data(), c.b.size(), int8_t{-128});
  if (kernels.narrow) c.narrow_weights();
  c.run();
  for (int64_t i = 0; i < c.m * c.n; ++i) ASSERT_EQ(c.y[i], c.sum(i / c.n, i % c.n));
}

TEST_P(IntegerGemm, StoresEachValueOnceStripByStrip) {
  Case<GemmS16> c(GetParam(), 300, 90 * lanes(), 40, 1, 4);
  c.pack();
  const TapRows<GemmS16> rows(c.a.data(), c.m, c.k);
  std::vector<std::byte> scratch(c.plan.scratch_bytes());
  ASSERT_GT(c.plan.chunks(), 1);
  std::vector<int> stored(size_t(c.m * c.n));
  const auto store = [&](const Span& lines, const Span& columns, const int32_t* sums) {
    ASSERT_LE(lines.size() * columns.size(), c.plan.blocks().most_strip_values());
    for (int64_t i = lines.begin; i < lines.end; ++i) {
      for (int64_t j = columns.begin; j < columns.end; ++j) {
        ASSERT_EQ(*sums++, c.sum(i, j));
        ++stored[size_t(i * c.n + j)];
      }
    }
  };
  const StripFunction<int32_t, decltype(store)> strips(store);
  for (int64_t chunk = 0; chunk < c.plan.chunks(); ++chunk) {
    c.plan.run_chunk({.a = &rows, .b = c.packed.data(), .store = &strips}, chunk, scratch.data());
  }
  EXPECT_EQ(std::ranges::count(stored, 1), c.m * c.n);
}

INSTANTIATE_TEST_SUITE_P(Isas, IntegerGemm, ::testing::ValuesIn(testing::supported_byte_isas()),
                         [](const auto& isa) { return testing::isa_test_name(isa.param); });

}  // namespace
}  // namespace linnet
