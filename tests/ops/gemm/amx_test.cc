#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ops/gemm/unit_product.h"
#include "ops/kernels/test_kernels.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The products in tile registers, which are emulated as the manual describes them.
struct AmxCase {
  Isa isa;
  bool wide;
};

class AmxGemm : public ::testing::TestWithParam<AmxCase> {
 protected:
  void TearDown() override {
    const char* fault = kernels_.fault();
    EXPECT_EQ(fault, nullptr) << fault;
  }

  const GemmKernels<GemmU8>& bytes() const { return GetParam().wide ? kernels_.wide_bytes : kernels_.bytes; }
  const GemmKernels<GemmBFloat16Pairs>& pairs() const { return GetParam().wide ? kernels_.wide_pairs : kernels_.pairs; }
  int lanes() const { return bytes().lanes; }

  void check_bytes(int64_t m, int64_t n, int64_t k, int64_t taps = 1, int workers = 1) const {
    UnitProduct<GemmU8> c(bytes(), m, n, k, taps, workers);
    c.run();
    c.expect_sums();
  }

  /// Expects that the errors of sums against double precision are within the bound of the longest chain of additions.
  void check_pairs(int64_t m, int64_t n, int64_t k, int64_t taps = 1, int workers = 1) const {
    UnitProduct<GemmBFloat16Pairs> c(pairs(), m, n, k, taps, workers);
    c.run();
    for (int64_t i = 0; i < m * n; ++i) {
      const auto product = [](BFloat16 x, BFloat16 w) { return double(float(x)) * double(float(w)); };
      const auto magnitude = [&](BFloat16 x, BFloat16 w) { return std::abs(product(x, w)); };
      ASSERT_NEAR(c.y[i], c.sum_of<double>(i / n, i % n, product), 5e-6 * c.sum_of<double>(i / n, i % n, magnitude))
          << "m " << m << " n " << n << " k " << k << " taps " << taps << " at " << i;
    }
  }

  /// Returns column counts at which panels, pairs of vectors and vectors end.
  std::vector<int64_t> edges() const {
    std::vector<int64_t> edges{1, 3};
    for (const int vectors : {1, 2, 3, 4, 7}) {
      for (const int more : {-1, 0, 1}) edges.push_back(vectors * lanes() + more);
    }
    return edges;
  }

  EmulatedAmxKernels kernels_ = test_kernels<EmulatedAmxKernels>(GetParam().isa);
};

TEST_P(AmxGemm, EqualsTheSumOfProductsForAllStripHeightsAndPanelEdges) {
  for (int64_t m = 1; m <= kMostStripRows + 2; ++m) {
    for (const int64_t n : edges()) check_bytes(m, n, 7);
  }
  for (const int64_t m : {1, 15, 16, 17, 31, 32, 33, 65}) {
    for (const int64_t n : edges()) check_pairs(m, n, 7);
  }
}

TEST_P(AmxGemm, EqualsTheSumOfProductsForAnyDepth) {
  for (const int64_t k : {0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 511, 513, 1023, 1024, 1025, 2500}) {
    for (const int64_t n : {5, 37}) {
      check_bytes(18, n, k);
      check_pairs(18, n, k);
    }
  }
}

TEST_P(AmxGemm, SumsOverTapsOfDepthsThatAreNoWholeUnits) {
  for (const int64_t k : {1, 3, 4, 65, 255}) {
    for (const int64_t taps : {2, 9, 25}) {
      check_bytes(7, 2 * lanes() + 1, k, taps);
      check_pairs(7, 2 * lanes() + 1, k, taps);
    }
  }
}

TEST_P(AmxGemm, EqualsTheSumOfProductsForAnyNumberOfWorkers) {
  for (const int workers : {1, 2, 16}) {
    check_bytes(100, 6 * lanes() + 5, 600, 1, workers);
    check_pairs(100, 6 * lanes() + 5, 600, 1, workers);
  }
}

TEST_P(AmxGemm, IsExactForTheGreatestBytesAndWrapsModulo2To32) {
  UnitProduct<GemmU8> c(bytes(), 3, lanes() + 1, 70001);
  std::fill_n(c.a.data(), c.a.size(), uint8_t{255});
  std::fill_n(c.b.data(), c.b.size(), int8_t{-128});
  c.run();
  for (int64_t i = 0; i < c.m * c.n; ++i) ASSERT_EQ(c.y[i], int32_t(uint32_t(-int64_t{70001} * 255 * 128)));
}

TEST_P(AmxGemm, AddsBiasAndResidualOnceHoweverDeepTheSum) {
  for (const int64_t k : {0, 40, 3000}) {
    UnitProduct<GemmU8> c(bytes(), 20, 3 * lanes() - 1, k);
    const Guarded<int32_t> bias(c.n, 7), residual(c.m * c.n, 8);
    c.run({.bias = bias.data(), .residual = residual.data(), .residual_pitch = c.n});
    for (int64_t i = 0; i < c.m * c.n; ++i) ASSERT_EQ(c.y[i], c.sum(i / c.n, i % c.n) + bias[i % c.n] + residual[i]);
  }
}

TEST_P(AmxGemm, AppliesAllOfTheEpilogueToPairs) {
  if (GetParam().wide) GTEST_SKIP() << "their vectors only add";
  for (const int64_t k : {0, 40, 1200}) {
    UnitProduct<GemmBFloat16Pairs> c(pairs(), 20, 3 * lanes() - 1, k);
    c.run();
    const std::vector<float> sums(c.y.data(), c.y.data() + c.y.size());
    const Guarded<float> bias(c.n, 7), residual(c.m * c.n, 8), slope(c.n, 9);
    BasicEpilogue<float> epilogue{.bias = bias.data(),
                                  .residual = residual.data(),
                                  .residual_pitch = c.n,
                                  .slope = slope.data(),
                                  .low = -4,
                                  .high = 9};
    epilogue.activation = [](const float* x, float* y, int64_t n, float alpha, float) {
      for (int64_t i = 0; i < n; ++i) y[i] = alpha * x[i];
    };
    epilogue.alpha = 2;
    c.run(epilogue);
    for (int64_t i = 0; i < c.m * c.n; ++i) {
      const float x = sums[size_t(i)] + bias[i % c.n] + residual[i];
      const float want = std::clamp(x < 0 ? slope[i % c.n] * x : x, -4.f, 9.f) * 2;
      ASSERT_NEAR(c.y[i], want, 1e-4) << "k " << k << " at " << i;
    }
  }
}

/// Returns the strip of all taps and columns of a product. rows: [tap][row].
template <class Type>
GemmStrip<Type> whole_strip(const UnitProduct<Type>& c, int count, const std::vector<const typename Type::A*>& rows) {
  GemmStrip<Type> strip;
  strip.rows = count;
  strip.taps = c.taps;
  strip.depth = c.k;
  strip.a = rows.data();
  strip.panels = &c.plan.panels();
  strip.panel_end = c.plan.panels().count();
  strip.b = c.packed.data();
  strip.b_rows = c.taps * (padded<Type>(c.k) / Type::kUnit);
  strip.y_pitch = c.n;
  return strip;
}

/// Returns y[1][n] of the taps [first, end) of one row.
template <class Type>
std::vector<typename Type::Y> sums_of_taps(const GemmKernels<Type>& kernels, const UnitProduct<Type>& c, int64_t first,
                                           int64_t end) {
  std::vector<const typename Type::A*> rows;
  for (int64_t t = first; t < end; ++t) rows.push_back(c.a.data() + t * padded<Type>(c.k));
  std::vector<typename Type::Y> y(size_t(c.n));
  GemmStrip<Type> strip = whole_strip(c, 1, rows);
  strip.taps = end - first;
  strip.b_row = first * strip.b_rows / c.taps;
  strip.y = y.data();
  kernels.strip(strip);
  return y;
}

/// Strips skip padding taps at their ends. Which ones depends on a row's position; the result must not.
template <class Type>
void expect_zeros_change_nothing(const GemmKernels<Type>& kernels, int64_t depth) {
  UnitProduct<Type> c(kernels, 1, kernels.lanes + 3, depth, 9);
  c.pack();
  const int64_t tap = padded<Type>(depth);
  std::fill_n(c.a.data(), 2 * tap, typename Type::A());
  std::fill_n(c.a.data() + 7 * tap, 2 * tap, typename Type::A());
  const auto all = sums_of_taps(kernels, c, 0, 9);
  for (const int64_t first : {0, 1, 2}) {
    for (const int64_t end : {7, 8, 9}) EXPECT_EQ(sums_of_taps(kernels, c, first, end), all) << first << " " << end;
  }
}

TEST_P(AmxGemm, TapsOfZerosChangeNoBit) {
  for (const int64_t depth : {1, 5, 24, 64, 150}) {
    expect_zeros_change_nothing(bytes(), depth);
    expect_zeros_change_nothing(pairs(), depth);
  }
}

/// Registers are loaded from rows at equal distances, and from copies of other rows.
TEST_P(AmxGemm, RowsMayHaveAnyDistances) {
  constexpr int kRows = 32;
  const std::pair<const char*, int (*)(int)> orders[] = {
      {"ascending", [](int i) { return i; }},
      {"descending", [](int i) { return kRows - 1 - i; }},
      {"all the same", [](int) { return 5; }},
      {"unequal in the second half", [](int i) { return i == 20 ? 3 : i; }},
      {"unequal at the end of the first half", [](int i) { return i == 15 ? 0 : i; }},
      {"in pairs", [](int i) { return i / 2; }},
  };
  for (const int64_t depth : {40, 64, 192, 2048}) {
    for (const auto& [name, row_of] : orders) {
      UnitProduct<GemmU8> c(bytes(), kRows, 2 * lanes() + 1, depth, 2);
      c.pack();
      std::vector<const uint8_t*> rows;
      for (int64_t t = 0; t < c.taps; ++t) {
        for (int i = 0; i < kRows; ++i) rows.push_back(c.a.data() + (t * kRows + row_of(i)) * depth);
      }
      GemmStrip<GemmU8> strip = whole_strip(c, kRows, rows);
      strip.y = c.y.data();
      bytes().strip(strip);
      for (int64_t i = 0; i < c.m * c.n; ++i) {
        ASSERT_EQ(c.y[i], c.sum(row_of(int(i / c.n)), i % c.n)) << name << ", depth " << depth << " at " << i;
      }
    }
  }
}

TEST_P(AmxGemm, RowsHaveTheSameBitsWhereverTheyLie) {
  const int64_t n = 2 * lanes() + 3, k = 700;
  UnitProduct<GemmBFloat16Pairs> all(pairs(), 70, n, k);
  all.run();
  for (const int64_t m : {1, 17, 40}) {
    UnitProduct<GemmBFloat16Pairs> some(pairs(), m, n, k);
    std::copy_n(all.a.data(), some.a.size(), some.a.data());
    some.run();
    for (int64_t i = 0; i < m * n; ++i) ASSERT_EQ(some.y[i], all.y[i]) << "m " << m << " at " << i;
  }
}

/// The sum over 513 values is divided into blocks; the second begins within the rows of a register.
TEST_P(AmxGemm, WeightsOfOtherBlocksAreNotMultiplied) {
  for (const int64_t beside : {-1, 0}) {
    UnitProduct<GemmBFloat16Pairs> c(pairs(), 2, 5, 513);
    ASSERT_GT(c.plan.blocks().blocks(), 1);
    const int64_t second = c.plan.blocks().block(1).k;
    ASSERT_NE(second / GemmBFloat16Pairs::kUnit % 16, 0);
    std::fill_n(c.a.data(), c.a.size(), BFloat16(1.f));
    std::fill_n(c.b.data() + (second + beside) * c.n, c.n, BFloat16(kInfinity));
    c.run();
    for (int64_t i = 0; i < c.m * c.n; ++i) EXPECT_EQ(c.y[i], kInfinity) << i;
  }
}

TEST_P(AmxGemm, SaturateCountsWhatItMultiplies) {
  kernels_.multiply_adds();
  const int64_t of_bytes = bytes().saturate(3);
  EXPECT_EQ(kernels_.multiply_adds(), of_bytes);
  const int64_t of_pairs = pairs().saturate(3);
  EXPECT_EQ(kernels_.multiply_adds(), of_pairs);
}

std::vector<AmxCase> amx_cases() {
  std::vector<AmxCase> cases;
  for (const Isa isa : supported_isas()) cases.insert(cases.end(), {{isa, false}, {isa, true}});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Isas, AmxGemm, ::testing::ValuesIn(amx_cases()), [](const auto& tested) {
  return isa_test_name(tested.param.isa) + (tested.param.wide ? "_wide" : "");
});

}  // namespace
}  // namespace linnet::testing
