#include <gtest/gtest.h>

#include <vector>

#include "gemm/product_plan.h"
#include "kernels/kernels_for.h"
#include "kernels/requantize.h"
#include "ops/gemm/unit_product.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// A product of bytes whose sums are requantised to bytes with or without a residual.
struct ByteProduct : UnitProduct<GemmU8> {
  ByteProduct(Isa isa, int64_t rows, int64_t columns, int64_t depth, int workers)
      : UnitProduct(kernels_for<GemmKernels<GemmU8>>(isa), rows, columns, depth, 1, workers),
        sums(size_t(m * n)),
        scale(size_t(n)),
        residual(size_t(m * n)) {
    for (size_t j = 0; j < scale.size(); ++j) scale[j] = float(j % 7 + 1) * 0x1.7p-13f;
    for (size_t i = 0; i < residual.size(); ++i) residual[i] = uint8_t(i * 97 % 251);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = sum(int64_t(i) / n, int64_t(i) % n);
    pack();
  }

  RequantizeJob job(bool adds, bool grid, bool clamps) const {
    RequantizeJob job;
    job.rows = m;
    job.columns = job.y_pitch = job.residual_pitch = n;
    job.scale = scale.data();
    if (adds) job.residual = residual.data();
    job.residual_zero = 120;
    job.residual_scale = 0.7f;
    job.grid = grid;
    job.grid_low = -90;
    job.grid_high = 165;
    job.grid_scale = 0.9f;
    job.zero = 100;
    job.low = clamps ? -20.f : -100.f;
    job.high = clamps ? 30.f : 155.f;
    job.clamps = clamps;
    return job;
  }

  /// Computes the bytes with the baseline's kernel from sums in memory.
  std::vector<uint8_t> expected(RequantizeJob job) const {
    std::vector<uint8_t> bytes(size_t(m * n));
    job.sums = sums.data();
    kernels_for<RequantizeKernels>(Isa::kBaseline).to_bytes(job, bytes.data());
    return bytes;
  }

  std::vector<int32_t> sums;
  std::vector<float> scale;
  std::vector<uint8_t> residual;
};

/// Accepts bytes to store. Sums that are passed instead are converted to bytes.
class ByteStrips final : public StripStore<int32_t> {
 public:
  ByteStrips(const RequantizeJob& job, Isa isa, uint8_t* y)
      : job_(job), kernels_(kernels_for<RequantizeKernels>(isa)), y_(y) {}

  void store(const Span& rows, const Span& columns, const int32_t* sums) const override {
    ByteBlock block;
    to_bytes(rows, columns, block);
    block.job.sums = sums;
    kernels_.to_bytes(block.job, block.y);
    stored_values += rows.size() * columns.size();
  }
  bool to_bytes(const Span& rows, const Span& columns, ByteBlock& to) const override {
    to.job = job_;
    to.job.rows = rows.size();
    to.job.columns = columns.size();
    to.job.scale += columns.begin;
    const int64_t first = rows.begin * job_.y_pitch + columns.begin;
    if (to.job.residual) to.job.residual += first;
    to.y = y_ + first;
    return true;
  }

  mutable int64_t stored_values = 0;

 private:
  RequantizeJob job_;
  const RequantizeKernels& kernels_;
  uint8_t* y_;
};

class StoreBytes : public ::testing::TestWithParam<Isa> {
 protected:
  const GemmKernels<GemmU8>& kernels() const { return kernels_for<GemmKernels<GemmU8>>(GetParam()); }

  void check(int64_t m, int64_t n, int64_t k, int workers = 1) const {
    const ByteProduct c(GetParam(), m, n, k, workers);
    const TapRows<GemmU8> rows(c.a.data(), c.m, c.k);
    std::vector<std::byte> scratch(c.plan.scratch_bytes());
    // The bits are clamps, a residual, and the grid of the residual.
    for (const int options : {0, 1, 2, 3, 6, 7}) {
      const RequantizeJob job = c.job(options & 2, options & 4, options & 1);
      const std::vector<uint8_t> want = c.expected(job);
      std::vector<uint8_t> y(want.size());
      const ByteStrips strips(job, GetParam(), y.data());
      for (int64_t chunk = 0; chunk < c.plan.chunks(); ++chunk) {
        c.plan.run_chunk({.a = &rows, .b = c.packed.data(), .store = &strips}, chunk, scratch.data());
      }
      ASSERT_EQ(y, want) << m << " x " << n << ", options " << options;
      if (kernels().stores_bytes && n == kWidestPanel * kernels().lanes) {
        ASSERT_EQ(strips.stored_values, 0);
      }
    }
  }
};

TEST_P(StoreBytes, GivesTheBytesOfRequantizedSumsForAllTileHeights) {
  if (!kernels().strip) return;
  for (int64_t m = 1; m <= 2 * kMostStripRows + 1; ++m) {
    for (const int64_t panels : {1, 2, 5}) check(m, panels * kWidestPanel * kernels().lanes, 40);
  }
}

TEST_P(StoreBytes, GivesTheBytesOfRequantizedSumsForAllPanels) {
  if (!kernels().strip) return;
  const int64_t lanes = kernels().lanes;
  for (const int64_t n : {int64_t{1}, int64_t{5}, lanes, lanes + 3, 3 * lanes, 4 * lanes - 1, 4 * lanes + 1, 6 * lanes,
                          7 * lanes + 5, 12 * lanes - 3, 24 * lanes}) {
    for (const int64_t k : {1, 70}) check(50, n, k);
    check(50, n, 70, 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, StoreBytes, ::testing::ValuesIn(supported_byte_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

}  // namespace
}  // namespace linnet::testing
