#include "kernels/dots.h"

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int kLanes = int(F64::size), kParts = DotKernels::kVectors / kLanes;
typedef double Doubles __attribute__((vector_size(kLanes * sizeof(double))));
typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));

struct Product {
  [[gnu::always_inline]] static inline F64 of(F64 x, F64 v) { return x * v; }
};
struct SquaredDistance {
  [[gnu::always_inline]] static inline F64 of(F64 x, F64 v) { return (x - v) * (x - v); }
};

[[gnu::always_inline]] inline F64 widened(const float* x) {
  Floats floats;
  __builtin_memcpy(&floats, x, sizeof floats);
  const Doubles doubles = __builtin_convertvector(floats, Doubles);
  return F64((typename F64::register_type)doubles);
}

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

}  // namespace

void fill(DotKernels& kernels);

void fill(DotKernels& kernels) { kernels = {.products = sums<Product>, .distances = sums<SquaredDistance>}; }

}  // namespace linnet::LINNET_SIMD_NS
