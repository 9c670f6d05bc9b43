#pragma once

// Included by *.simd.cc only. Adapts the supported xsimd versions (8.1 to 13) to one interface. Everything in a SIMD
// unit is in namespace linnet::LINNET_SIMD_NS or in an anonymous namespace within it. No code compiled for a wide
// instruction set can therefore be linked in place of portable code.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <xsimd/xsimd.hpp>

// Placed before a loop over registers with constant bounds.
#if defined(__clang__)
#define LINNET_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LINNET_UNROLL _Pragma("GCC unroll 32")
#endif

namespace linnet::LINNET_SIMD_NS {

using Arch = LINNET_SIMD_ARCH;
using F32 = xsimd::batch<float, Arch>;
using F64 = xsimd::batch<double, Arch>;
inline constexpr int kLanes = int(F32::size);

#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int kRegisters = 32;
#else
inline constexpr int kRegisters = 16;
#endif

}  // namespace linnet::LINNET_SIMD_NS

#if defined(__AVX512F__)
// xsimd 8.1 multiplies and adds in two steps for AVX-512. Overload resolution prefers these functions to its templates.
namespace xsimd {

#define LINNET_FUSED(name, T, intrinsic)                                                                               \
  [[gnu::always_inline]] static inline batch<T, LINNET_SIMD_ARCH> name(                                                \
      const batch<T, LINNET_SIMD_ARCH>& x, const batch<T, LINNET_SIMD_ARCH>& y, const batch<T, LINNET_SIMD_ARCH>& z) { \
    return intrinsic(x, y, z);                                                                                         \
  }
LINNET_FUSED(fma, float, _mm512_fmadd_ps)
LINNET_FUSED(fms, float, _mm512_fmsub_ps)
LINNET_FUSED(fnma, float, _mm512_fnmadd_ps)
LINNET_FUSED(fma, double, _mm512_fmadd_pd)
LINNET_FUSED(fms, double, _mm512_fmsub_pd)
LINNET_FUSED(fnma, double, _mm512_fnmadd_pd)
#undef LINNET_FUSED

}  // namespace xsimd
#elif defined(__aarch64__)
// xsimd 8.1 approximates quotients and roots of float32 on NEON, rounds twice in fnma, and rounds to integers in
// several steps.
namespace xsimd {

using LinnetFloats = batch<float, LINNET_SIMD_ARCH>;

template <>
inline LinnetFloats& batch<float, LINNET_SIMD_ARCH>::operator/=(const LinnetFloats& other) noexcept {
  return *this = vdivq_f32(*this, other);
}

#define LINNET_NEON(name, intrinsic) \
  [[gnu::always_inline]] static inline LinnetFloats name(const LinnetFloats& x) { return intrinsic(x); }
LINNET_NEON(sqrt, vsqrtq_f32)
LINNET_NEON(floor, vrndmq_f32)
LINNET_NEON(ceil, vrndpq_f32)
LINNET_NEON(nearbyint, vrndnq_f32)
#undef LINNET_NEON

[[gnu::always_inline]] static inline LinnetFloats fnma(const LinnetFloats& x, const LinnetFloats& y,
                                                       const LinnetFloats& z) {
  return vfmsq_f32(z, x, y);
}

}  // namespace xsimd
#endif

namespace linnet::LINNET_SIMD_NS {

/// Returns some elements of a compiler vector, from element kFirst on.
template <int kFirst, class Vector, int... kIndex>
[[gnu::always_inline]] inline auto elements_from(Vector v, std::integer_sequence<int, kIndex...>) {
  return __builtin_shufflevector(v, v, (kFirst + kIndex)...);
}

/// Joins the elements of a compiler vector of kCount elements by join(a, b), of elements or of shorter vectors, in a
/// fixed order: halves are joined until one value is left.
template <int kCount, class Vector, class Join>
[[gnu::always_inline]] inline auto join_elements(Vector v, Join join) {
  constexpr int kHalf = kCount / 2;
  if constexpr (kCount == 2) {
    return join(v[0], v[1]);
  } else {
    constexpr auto kIndices = std::make_integer_sequence<int, kHalf>{};
    return join_elements<kHalf>(join(elements_from<0>(v, kIndices), elements_from<kHalf>(v, kIndices)), join);
  }
}

/// Returns x y + z for the lower half of the lanes. Execution units of half the width need half the time for it.
[[gnu::always_inline]] inline F32 fma_half(F32 x, F32 y, F32 z) {
#if defined(__AVX512F__)
  return _mm512_castps256_ps512(
      _mm256_fmadd_ps(_mm512_castps512_ps256(x), _mm512_castps512_ps256(y), _mm512_castps512_ps256(z)));
#else
  return xsimd::fma(x, y, z);
#endif
}
/// Whether fma_half() takes less time than fma().
inline constexpr bool kHalves = kLanes == 16;

}  // namespace linnet::LINNET_SIMD_NS
