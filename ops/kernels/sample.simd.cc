#include "kernels/sample.h"

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// Without branches, so that compilers make vectors of the loops.
void weighted(const float* __restrict x, const int32_t* offsets, const float* weights, int64_t taps, int64_t pitch,
              int64_t n, float* __restrict y) {
  for (int64_t i = 0; i < n; ++i) y[i] = 0;
  for (int64_t t = 0; t < taps; ++t) {
    const int32_t* __restrict at = offsets + t * pitch;
    const float* __restrict weight = weights + t * pitch;
    for (int64_t i = 0; i < n; ++i) {
      const int32_t outside = at[i] >> 31;
      const float product = weight[i] * x[at[i] & ~outside];
      y[i] += __builtin_bit_cast(float, __builtin_bit_cast(int32_t, product) & ~outside);
    }
  }
}

}  // namespace

void fill(SampleKernels& k);

void fill(SampleKernels& k) { k.weighted = weighted; }

}  // namespace linnet::LINNET_SIMD_NS
