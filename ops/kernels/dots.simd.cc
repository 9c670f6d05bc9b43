#include "kernels/dots.h"

#include "kernels/widened.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int kLanes = kWideLanes, kParts = kWideParts;
static_assert(kWideBlock == DotKernels::kVectors);

struct Product {
  [[gnu::always_inline]] static inline F64 of(F64 x, F64 v) { return x * v; }
};
struct SquaredDistance {
  [[gnu::always_inline]] static inline F64 of(F64 x, F64 v) { return (x - v) * (x - v); }
};

/// Computes the sums of kCount rows and a panel's vectors, and writes those of the first `vectors` vectors.
template <class Term, int kCount>
void panel_sums(const double* x, const float* panel, int64_t width, int64_t vectors, double* out, int64_t pitch) {
  F64 sums[kCount][kParts];
  LINNET_UNROLL for (auto& row : sums) { LINNET_UNROLL for (F64& sum : row) sum = F64(0.0); }
  for (int64_t k = 0; k < width; ++k) {
    F64 values[kParts];
    LINNET_UNROLL for (int p = 0; p < kParts; ++p) {
      values[p] = widened(panel + k * DotKernels::kVectors + p * kLanes);
    }
    LINNET_UNROLL for (int r = 0; r < kCount; ++r) {
      const F64 row(x[r * width + k]);
      LINNET_UNROLL for (int p = 0; p < kParts; ++p) sums[r][p] += Term::of(row, values[p]);
    }
  }
  LINNET_UNROLL for (int r = 0; r < kCount; ++r) {
    double sum[DotKernels::kVectors];
    LINNET_UNROLL for (int p = 0; p < kParts; ++p) sums[r][p].store_unaligned(sum + p * kLanes);
    for (int64_t i = 0; i < vectors; ++i) out[r * pitch + i] = sum[i];
  }
}

template <class Term>
void sums(const double* x, int rows, const DotKernels::Panels& panels, double* out, int64_t pitch) {
  constexpr int kVectors = DotKernels::kVectors;
  constexpr decltype(&panel_sums<Term, 1>) kOfRows[DotKernels::kRows] = {panel_sums<Term, 1>, panel_sums<Term, 2>,
                                                                         panel_sums<Term, 3>, panel_sums<Term, 4>};
  for (int64_t i = 0; rows > 0 && i < panels.vectors; i += kVectors) {
    const int64_t left = panels.vectors - i, count = left < kVectors ? left : kVectors;
    kOfRows[rows - 1](x, panels.data + i * panels.width, panels.width, count, out + i, pitch);
  }
}

/// Adds the products of a block of a row and of kCount vectors.
template <int kCount>
[[gnu::always_inline]] inline void add_block(const float* x, const int32_t* mask, const double* v, int64_t pitch,
                                             F64 (&sums)[kCount][kParts]) {
  LINNET_UNROLL for (int p = 0; p < kParts; ++p) {
    const F64 value = widened(x + p * kLanes, mask ? mask + p * kLanes : nullptr);
    LINNET_UNROLL for (int i = 0; i < kCount; ++i) {
      sums[i][p] += value * F64::load_unaligned(v + i * pitch + p * kLanes);
    }
  }
}

template <int kCount>
void few_row_products(const float* x, int64_t rows, const DotKernels::FewVectors& vectors, double* out) {
  const int64_t width = vectors.width, whole = width / kWideBlock * kWideBlock, rest = width - whole;
  const int64_t pitch = rest > 0 ? whole + kWideBlock : whole;
  for (int64_t r = 0; r < rows; ++r, x += width, out += kCount) {
    F64 sums[kCount][kParts];
    LINNET_UNROLL for (auto& sum : sums) { LINNET_UNROLL for (F64& part : sum) part = F64(0.0); }
    for (int64_t k = 0; k < whole; k += kWideBlock) add_block<kCount>(x + k, nullptr, vectors.data + k, pitch, sums);
    if (whole == 0) {
      float last[kWideBlock] = {};
      for (int64_t k = 0; k < rest; ++k) last[kWideBlock - rest + k] = x[k];
      add_block<kCount>(last, nullptr, vectors.data, pitch, sums);
    } else if (rest > 0) {
      add_block<kCount>(x + width - kWideBlock, kLastValues + rest, vectors.data + whole, pitch, sums);
    }
    LINNET_UNROLL for (int i = 0; i < kCount; ++i) {
      out[i] = joined_lanes(sums[i], [](auto a, auto b) { return a + b; });
    }
  }
}

void few_products(const float* x, int64_t rows, const DotKernels::FewVectors& vectors, double* out) {
  constexpr decltype(&few_row_products<1>) kOfCounts[DotKernels::kRows] = {few_row_products<1>, few_row_products<2>,
                                                                           few_row_products<3>, few_row_products<4>};
  if (vectors.count > 0) kOfCounts[vectors.count - 1](x, rows, vectors, out);
}

}  // namespace

void fill(DotKernels& kernels);

void fill(DotKernels& kernels) {
  kernels = {.products = sums<Product>, .distances = sums<SquaredDistance>, .few_products = few_products};
}

}  // namespace linnet::LINNET_SIMD_NS
