#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {

double multiply_adds(int64_t rounds);

// As many independent sums as hide the latency of the multiply-add, in as many registers as there are.
double multiply_adds(int64_t rounds) {
  constexpr int kSums = 12;
  F32 sum[kSums];
  LINNET_UNROLL for (int i = 0; i < kSums; ++i) sum[i] = F32(float(i));
  const volatile float factor = 0.5f;
  const F32 x(factor), y(factor + 0.25f);
  for (int64_t r = 0; r < rounds; ++r) {
    LINNET_UNROLL for (int i = 0; i < kSums; ++i) sum[i] = xsimd::fma(sum[i], x, y);
  }
  volatile float sink = 0;
  float values[kLanes];
  LINNET_UNROLL for (int i = 0; i < kSums; ++i) {
    sum[i].store_unaligned(values);
    sink = sink + values[0];
  }
  return double(rounds) * kSums * kLanes * 2;
}

}  // namespace linnet::LINNET_SIMD_NS
