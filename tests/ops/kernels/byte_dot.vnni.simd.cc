#include "ops/kernels/byte_dot.h"

#include <immintrin.h>

namespace linnet::LINNET_SIMD_NS {
namespace {

#ifdef __AVX512VNNI__
__m256i dot_of_fours(__m256i sums, __m256i a, __m256i b) { return _mm256_dpbusd_epi32(sums, a, b); }
#else
__m256i dot_of_fours(__m256i sums, __m256i a, __m256i b) { return _mm256_dpbusd_avx_epi32(sums, a, b); }
#endif

__m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

int32_t dot(const uint8_t* a, const int8_t* b, int64_t n) {
  __m256i sums = _mm256_setzero_si256();
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) sums = dot_of_fours(sums, load(a + i), load(b + i));
  alignas(32) int32_t lanes[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sums);
  int32_t sum = 0;
  for (const int32_t lane : lanes) sum += lane;
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void fill(ByteDotKernels& kernels);
void fill(ByteDotKernels& kernels) { kernels.dot = dot; }

}  // namespace linnet::LINNET_SIMD_NS
