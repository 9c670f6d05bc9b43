#include "kernels/convert.h"

#include <bit>
#include <cstring>

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// The following functions have no branches, so that compilers vectorise the loops.

inline uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
/// Returns all bits where the condition holds, else none.
inline uint32_t mask(bool condition) { return condition ? ~0u : 0u; }
inline uint32_t select(bool condition, uint32_t a, uint32_t b) { return condition ? a : b; }

inline void widen(const BFloat16* __restrict x, float* __restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::bit_cast<float>(uint32_t{x[i].bits} << 16);
}

inline void narrow(const float* __restrict x, BFloat16* __restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = bits_of(x[i]);
    const uint32_t rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    y[i].bits = uint16_t(select((bits & 0x7fffffffu) > 0x7f800000u, bits | 0x400000u, rounded) >> 16);
  }
}

#if defined(__AVX512F__)
constexpr int64_t kBlock = 16;

inline void widen_block(const void* x, float* y) {
  _mm512_storeu_ps(y, _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(x))));
}
inline void narrow_block(const float* x, void* y) {
  _mm256_storeu_si256(static_cast<__m256i*>(y), _mm512_cvtps_ph(_mm512_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__F16C__)
constexpr int64_t kBlock = 8;

inline void widen_block(const void* x, float* y) {
  _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(x))));
}
inline void narrow_block(const float* x, void* y) {
  _mm_storeu_si128(static_cast<__m128i*>(y), _mm256_cvtps_ph(_mm256_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__aarch64__)
constexpr int64_t kBlock = 4;

inline void widen_block(const void* x, float* y) {
  vst1q_f32(y, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(static_cast<const uint16_t*>(x)))));
}
inline void narrow_block(const float* x, void* y) {
  vst1_u16(static_cast<uint16_t*>(y), vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(x))));
}
#endif

#if defined(__F16C__) || defined(__aarch64__)
inline void widen(const Half* x, float* y, int64_t n) {
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) widen_block(x + i, y + i);
  if (i == n) return;
  uint16_t last[kBlock] = {};
  float result[kBlock];
  std::memcpy(last, x + i, size_t(n - i) * sizeof(Half));
  widen_block(last, result);
  std::memcpy(y + i, result, size_t(n - i) * sizeof(float));
}

inline void narrow(const float* x, Half* y, int64_t n) {
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) narrow_block(x + i, y + i);
  if (i == n) return;
  float last[kBlock] = {};
  uint16_t result[kBlock];
  std::memcpy(last, x + i, size_t(n - i) * sizeof(float));
  narrow_block(last, result);
  std::memcpy(static_cast<void*>(y + i), result, size_t(n - i) * sizeof(Half));
}
#else
inline void widen(const Half* __restrict x, float* __restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = x[i].bits, magnitude = bits & 0x7fffu;
    const uint32_t subnormal = bits_of(float(int32_t(magnitude)) * 0x1p-24f);
    const uint32_t exponent = select(magnitude >= 0x7c00u, 0x70000000u, 0x38000000u);
    const uint32_t quiet = mask(magnitude > 0x7c00u) & 0x400000u;
    const uint32_t normal = ((magnitude << 13) + exponent) | quiet;
    y[i] = std::bit_cast<float>((bits & 0x8000u) << 16 | select(magnitude < 0x400u, subnormal, normal));
  }
}

inline void narrow(const float* __restrict x, Half* __restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = bits_of(x[i]), magnitude = bits & 0x7fffffffu;
    const uint32_t rounded = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    // Adding 0.5 aligns the bits of subnormal numbers.
    const uint32_t subnormal = bits_of(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t finite = select(magnitude < 0x38800000u, subnormal, rounded);
    const uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    const uint32_t special = select(magnitude > 0x7f800000u, nan, 0x7c00u);
    y[i].bits = uint16_t(bits >> 16 & 0x8000u) | uint16_t(select(magnitude >= 0x477ff000u, special, finite));
  }
}
#endif

}  // namespace

void fill(ConvertKernels& k);

void fill(ConvertKernels& k) {
  k.float_of_half = widen;
  k.half_of_float = narrow;
  k.float_of_bfloat16 = widen;
  k.bfloat16_of_float = narrow;
}

}  // namespace linnet::LINNET_SIMD_NS
