#include "kernels/gemm_strip.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct TileF64 {
  using Type = GemmF64;
  using Vector = F64;
  using Factor = F64;
  static constexpr int kLanes = int(F64::size);
  static constexpr int kWidest = kWidestPanel;
  static constexpr bool kHalves = false;
  static constexpr bool kActivates = false;
  static constexpr bool kStoresBytes = false;

  static F64 zero() { return F64(0.0); }
  static F64 load_b(const double* b, int v) { return F64::load_unaligned(b + v * kLanes); }
  static F64 spread(const double* a) { return F64(*a); }
  static F64 multiply_add(F64 x, F64 y, F64 z) { return xsimd::fma(x, y, z); }
  static F64 load(const double* x) { return F64::load_unaligned(x); }
#if defined(__AVX512F__)
  static F64 load_part(const double* x, int64_t n) { return _mm512_maskz_loadu_pd(__mmask8((1u << n) - 1), x); }
  static void store_part(double* y, F64 v, int64_t n) { _mm512_mask_storeu_pd(y, __mmask8((1u << n) - 1), v); }
#elif defined(__AVX2__)
  static __m256i first_lanes(int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static F64 load_part(const double* x, int64_t n) { return _mm256_maskload_pd(x, first_lanes(n)); }
  static void store_part(double* y, F64 v, int64_t n) { _mm256_maskstore_pd(y, first_lanes(n), v); }
#else
  static F64 load_part(const double* x, int64_t n) {
    double buffer[kLanes] = {};
    for (int64_t i = 0; i < n; ++i) buffer[i] = x[i];
    return load(buffer);
  }
  static void store_part(double* y, F64 v, int64_t n) {
    double buffer[kLanes];
    store(buffer, v);
    for (int64_t i = 0; i < n; ++i) y[i] = buffer[i];
  }
#endif
  static void store(double* y, F64 v) { v.store_unaligned(y); }
};

}  // namespace

void fill(GemmKernels<GemmF64>& kernels);

void fill(GemmKernels<GemmF64>& kernels) { fill_gemm<TileF64>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
