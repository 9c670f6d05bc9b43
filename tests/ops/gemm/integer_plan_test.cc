#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gemm/product_loop.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "ops/gemm/unit_product.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

template <class Type>
void check(Isa isa, int64_t m, int64_t n, int64_t k, int64_t taps = 1, int workers = 1) {
  const GemmKernels<Type>& kernels = kernels_for<GemmKernels<Type>>(isa);
  if (!kernels.strip) return;
  UnitProduct<Type> c(kernels, m, n, k, taps, workers);
  c.run();
  c.expect_sums();
}

class IntegerGemm : public ::testing::TestWithParam<Isa> {
 protected:
  int lanes() const { return kernels_for<GemmKernels<GemmS16>>(GetParam()).lanes; }

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
  UnitProduct<GemmS16> c(kernels_for<GemmKernels<GemmS16>>(GetParam()), 3, lanes() + 1, 70001);
  std::fill_n(c.a.data(), c.a.size(), int16_t{-255});
  std::fill_n(c.b.data(), c.b.size(), int16_t{255});
  c.run();
  c.expect_sums();
  EXPECT_EQ(c.y[0], int32_t(uint32_t(-int64_t{70001} * 255 * 255)));
}

TEST_P(IntegerGemm, IsExactForTheGreatestBytes) {
  const GemmKernels<GemmU8>& kernels = kernels_for<GemmKernels<GemmU8>>(GetParam());
  if (!kernels.strip) return;
  UnitProduct<GemmU8> c(kernels, 3, lanes() + 1, 70001);
  std::fill_n(c.a.data(), c.a.size(), uint8_t{255});
  std::fill_n(c.b.data(), c.b.size(), int8_t{-128});
  if (kernels.narrow) c.narrow_weights();
  c.run();
  for (int64_t i = 0; i < c.m * c.n; ++i) ASSERT_EQ(c.y[i], c.sum(i / c.n, i % c.n));
}

TEST_P(IntegerGemm, StoresEachValueOnceStripByStrip) {
  UnitProduct<GemmS16> c(kernels_for<GemmKernels<GemmS16>>(GetParam()), 300, 90 * lanes(), 40, 1, 4);
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

INSTANTIATE_TEST_SUITE_P(Isas, IntegerGemm, ::testing::ValuesIn(supported_byte_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

}  // namespace
}  // namespace linnet::testing
