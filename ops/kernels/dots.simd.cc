#include "kernels/dots.h"

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int kLanes = int(F64::size), kParts = DotKernels::kVectors / kLanes;
typedef double Doubles __attribute__((vector_size(kLanes * sizeof(double))));
typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));

struct Product {
  [[gnu::always_inline]] static inline Doubles of(Doubles x, Doubles v) { return x * v; }
};
struct SquaredDistance {
  [[gnu::always_inline]] static inline Doubles of(Doubles x, Doubles v) { return (x - v) * (x - v); }
};

/// The sums of kCount rows and a panel's vectors, of which the first `vectors` are written.
template <class Term, int kCount>
void panel_sums(const double* x, const float* panel, int64_t width, int64_t vectors, double* out, int64_t pitch) {
  Doubles sums[kCount][kParts]{};
  for (int64_t k = 0; k < width; ++k) {
    Doubles values[kParts];
    LINNET_UNROLL for (int p = 0; p < kParts; ++p) {
      Floats floats;
      __builtin_memcpy(&floats, panel + k * DotKernels::kVectors + p * kLanes, sizeof floats);
      values[p] = __builtin_convertvector(floats, Doubles);
    }
    LINNET_UNROLL for (int r = 0; r < kCount; ++r) {
      const Doubles row = x[r * width + k] - Doubles{};
      LINNET_UNROLL for (int p = 0; p < kParts; ++p) sums[r][p] += Term::of(row, values[p]);
    }
  }
  for (int r = 0; r < kCount; ++r) {
    double sum[DotKernels::kVectors];
    __builtin_memcpy(sum, sums[r], sizeof sum);
    for (int64_t i = 0; i < vectors; ++i) out[r * pitch + i] = sum[i];
  }
}

template <class Term>
void sums(const double* x, int rows, const DotKernels::Panels& panels, double* out, int64_t pitch) {
  constexpr int kVectors = DotKernels::kVectors;
  for (int64_t i = 0; i < panels.vectors; i += kVectors) {
    const float* panel = panels.data + i * panels.width;
    const int64_t left = panels.vectors - i, count = left < kVectors ? left : kVectors;
    if (rows == DotKernels::kRows) {
      panel_sums<Term, DotKernels::kRows>(x, panel, panels.width, count, out + i, pitch);
      continue;
    }
    for (int r = 0; r < rows; ++r) {
      panel_sums<Term, 1>(x + r * panels.width, panel, panels.width, count, out + r * pitch + i, 0);
    }
  }
}

}  // namespace

void fill(DotKernels& kernels);

void fill(DotKernels& kernels) { kernels = {.products = sums<Product>, .distances = sums<SquaredDistance>}; }

}  // namespace linnet::LINNET_SIMD_NS
