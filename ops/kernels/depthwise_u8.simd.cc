#include "kernels/depthwise_u8.h"

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// sum + the products of the pairs of 16-bit integers of each lane.
inline I32 add_pairs(I32 sum, I32 x, I32 w) {
#if defined(__AVX512F__)
  return _mm512_add_epi32(sum, _mm512_madd_epi16(x, w));
#elif defined(__AVX2__)
  return _mm256_add_epi32(sum, _mm256_madd_epi16(x, w));
#elif defined(__aarch64__)
  const int16x8_t a = vreinterpretq_s16_s32(x), b = vreinterpretq_s16_s32(w);
  return vaddq_s32(sum, vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b)));
#else
  return _mm_add_epi32(sum, _mm_madd_epi16(x, w));
#endif
}

constexpr int kVectors = 4;

/// Sums of V vectors of channels of a pixel.
template <int V>
inline void channels(const DepthwiseBytes& job, int64_t pixel, int64_t c) {
  I32 sum[V];
  LINNET_UNROLL for (int v = 0; v < V; ++v) sum[v] = I32::load_unaligned(job.begin + c + v * kLanes);
  for (int64_t p = 0; p < job.pairs; ++p) {
    const uint8_t* first = job.x[2 * p * job.pixels + pixel] + c;
    const uint8_t* second = job.x[(2 * p + 1) * job.pixels + pixel] + c;
    const auto* w = reinterpret_cast<const int32_t*>(job.w) + p * job.channels + c;
    LINNET_UNROLL for (int v = 0; v < V; ++v) {
      const I32 x = widen(first + v * kLanes) | (widen(second + v * kLanes) << 16);
      sum[v] = add_pairs(sum[v], x, I32::load_unaligned(w + v * kLanes));
    }
  }
  LINNET_UNROLL for (int v = 0; v < V; ++v) sum[v].store_unaligned(job.sums + pixel * job.channels + c + v * kLanes);
}

void last_channels(const DepthwiseBytes& job, int64_t pixel, int64_t c) {
  for (; c < job.channels; ++c) {
    auto sum = uint32_t(job.begin[c]);
    for (int64_t t = 0; t < 2 * job.pairs; ++t) {
      sum += uint32_t(job.x[t * job.pixels + pixel][c] * job.w[(t / 2 * job.channels + c) * 2 + t % 2]);
    }
    job.sums[pixel * job.channels + c] = int32_t(sum);
  }
}

void sums(const DepthwiseBytes& job) {
  for (int64_t i = 0; i < job.pixels; ++i) {
    int64_t c = 0;
    for (; c + kVectors * kLanes <= job.channels; c += kVectors * kLanes) channels<kVectors>(job, i, c);
    for (; c + kLanes <= job.channels; c += kLanes) channels<1>(job, i, c);
    last_channels(job, i, c);
  }
}

}  // namespace

void fill(DepthwiseBytesKernels& kernels);

void fill(DepthwiseBytesKernels& kernels) { kernels.sums = sums; }

}  // namespace linnet::LINNET_SIMD_NS
