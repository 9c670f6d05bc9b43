#include "kernels/unary.h"

#include <type_traits>

#include "kernels/arcs.h"
#include "kernels/hyperbolic.h"
#include "kernels/trigonometric.h"
#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Applies a function of x alone, or of x and both parameters, to all lanes.
template <auto kFunction>
inline F32 apply(F32 x, F32 alpha, F32 beta) {
  if constexpr (std::is_invocable_v<decltype(kFunction), F32>)
    return kFunction(x);
  else
    return kFunction(x, alpha, beta);
}

template <auto kFunction>
void map(const float* x, float* y, int64_t n, float alpha, float beta) {
  const F32 a(alpha), b(beta);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, apply<kFunction>(load(x + i), a, b));
  if (i < n) store_part(y + i, apply<kFunction>(load_part(x + i, n - i), a, b), n - i);
}

/// Returns the kernel of a function on lanes. A function on memory is itself a kernel.
template <auto kFunction>
constexpr UnaryForm kernel_of() {
  if constexpr (std::is_same_v<decltype(kFunction), UnaryForm>)
    return kFunction;
  else
    return map<kFunction>;
}

inline F32 relu(F32 x) { return xsimd::select(x < F32(0.0f), F32(0.0f), x); }
inline F32 clip(F32 x, F32 low, F32 high) { return at_most(high, at_least(low, x)); }
inline F32 leaky_relu(F32 x, F32 alpha, F32) { return prelu(x, alpha); }
inline F32 thresholded_relu(F32 x, F32 alpha, F32) { return xsimd::select(x > alpha, x, F32(0.0f)); }
/// NaN gives 0, since it is neither below nor above the limits.
inline F32 shrink(F32 x, F32 bias, F32 lambd) {
  const F32 above = xsimd::select(x > lambd, x - bias, F32(0.0f));
  return xsimd::select(x < -lambd, x + bias, above);
}
inline F32 elu(F32 x, F32 alpha, F32) { return xsimd::select(x < F32(0.0f), alpha * expm1(at_most(F32(0.0f), x)), x); }
inline F32 selu(F32 x, F32 alpha, F32 gamma) { return gamma * elu(x, alpha, gamma); }
inline F32 celu(F32 x, F32 alpha, F32) {
  return xsimd::select(x < F32(0.0f), alpha * expm1(at_most(F32(30.0f), x / alpha)), x);
}
inline F32 unit_clamp(F32 x) { return at_most(F32(1.0f), at_least(F32(0.0f), x)); }
inline F32 hard_sigmoid(F32 x, F32 alpha, F32 beta) { return unit_clamp(alpha * x + beta); }
inline F32 hard_swish(F32 x) { return x * unit_clamp(x * F32(1.0f / 6.0f) + F32(0.5f)); }
/// Returns x / (e^u + 1), which is x sigmoid(-u). It has fewer steps than sigmoid(), which must be exact for tiny
/// results.
inline F32 gated(F32 x, F32 u) {
  // e^-43 is negligible compared to 1, and e^89 is infinite.
  u = at_most(F32(89.0f), at_least(F32(-43.0f), u));
  const ExpArgument a = reduce_exp<-64>(u);
  F32 p = xsimd::fma(F32(0x1.0fa350p-7f), a.r, F32(0x1.573a2ep-5f));
  p = xsimd::fma(p, a.r, F32(0x1.555a7ap-3f));
  p = xsimd::fma(p, a.r, F32(0x1.fffdc6p-2f));
  p = xsimd::fma(p, a.r, F32(0x1.fffff6p-1f));
  p = xsimd::fma(p, a.r, F32(1.0f));
#ifdef __AVX512F__
  const F32 e = _mm512_scalef_ps(p, a.n);
#else
  // p 2^(n - 64) is normal; its product with 2^64 may be infinite.
  const F32 e = float_of(bits_of(p) + (bits_of(a.shifted) << 23)) * F32(0x1p64f);
#endif
  return x / (e + F32(1.0f));
}
inline F32 swish(F32 x, F32 alpha, F32) { return gated(x, -alpha * x); }
inline F32 mish(F32 x) {
  // tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2). Above 20 it is 1 to the last bit.
  const F32 e = exp(at_most(F32(20.0f), x));
  const F32 n = e * (e + F32(2.0f));
  return x * (n / (n + F32(2.0f)));
}
inline F32 softsign(F32 x) { return x / (magnitude_of(x) + F32(1.0f)); }
/// Returns 2^r for |r| <= 1/2 with a relative error of 1e-7. The result for 0 is exactly 1.
inline F32 exp2_of_reduced(F32 r) {
  F32 p = xsimd::fma(F32(0x1.5bd85ap-10f), r, F32(0x1.3ce8bap-7f));
  p = xsimd::fma(p, r, F32(0x1.c6b6dcp-5f));
  p = xsimd::fma(p, r, F32(0x1.ebf9c2p-3f));
  p = xsimd::fma(p, r, F32(0x1.62e42ap-1f));
  return xsimd::fma(p, r, F32(1.0f));
}

/// Returns the standard normal distribution at -a for a >= 0: 2^Q(a), and 0 from 6 on, where it is less than 1e-9.
inline F32 normal_tail(F32 a) {
  F32 q = xsimd::fma(F32(0x1.079ae2p-17f), a, F32(-0x1.a08e36p-15f));
  q = xsimd::fma(q, a, F32(-0x1.c418bcp-12f));
  q = xsimd::fma(q, a, F32(0x1.e4c964p-8f));
  q = xsimd::fma(q, a, F32(-0x1.afa268p-5f));
  q = xsimd::fma(q, a, F32(-0x1.d62d64p-2f));
  q = xsimd::fma(q, a, F32(-0x1.26af1cp+0f));
  q = xsimd::fma(q, a, F32(-1.0f));
  const F32 shifted = q + F32(kRoundMagic);
  const F32 n = shifted - F32(kRoundMagic), p = exp2_of_reduced(q - n);
#ifdef __AVX512F__
  return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(a, F32(6.0f), _CMP_LT_OQ), p, n);
#else
  return xsimd::select(a < F32(6.0f), float_of(bits_of(p) + (bits_of(shifted) << 23)), F32(0.0f));
#endif
}

inline F32 gelu(F32 x) {
  const F32 tail = normal_tail(magnitude_of(x));
  return x * xsimd::select(x < F32(0.0f), tail, F32(1.0f) - tail);
}
inline F32 gelu_tanh(F32 x) {
  // (1 + tanh(u)) / 2 is sigmoid(2 u), for u = sqrt(2 / pi) (x + 0.044715 x^3).
  return gated(x, x * xsimd::fma(F32(-0x1.2444f2p-4f), x * x, F32(-0x1.988454p+0f)));
}
inline F32 sqrt(F32 x) { return xsimd::sqrt(x); }
inline F32 reciprocal(F32 x) { return F32(1.0f) / x; }
inline F32 abs(F32 x) { return magnitude_of(x); }
inline F32 neg(F32 x) { return x ^ F32(-0.0f); }
inline F32 floor(F32 x) { return with_sign(magnitude_of(xsimd::floor(x)), x); }
inline F32 ceil(F32 x) { return with_sign(magnitude_of(xsimd::ceil(x)), x); }
inline F32 round(F32 x) { return with_sign(magnitude_of(xsimd::nearbyint(x)), x); }
inline F32 sign(F32 x) {
  const F32 one = with_sign(F32(1.0f), x);
  return xsimd::select(magnitude_of(x) > F32(0.0f), one, x);
}
inline F32 square(F32 x) { return x * x; }
inline F32 scale(F32 x, F32 alpha, F32 beta) { return alpha * x + beta; }
inline F32 scaled_tanh(F32 x, F32 alpha, F32 beta) { return alpha * tanh(beta * x); }
constexpr UnaryForm sin = sine<Sin, 0>;
constexpr UnaryForm cos = sine<Cos, 1>;
constexpr UnaryForm tan = trigonometric<Tan>;

}  // namespace

void fill(UnaryKernels& k);

void fill(UnaryKernels& k) {
#define LINNET_UNARY(name) k.name = kernel_of<name>();
#include "kernels/unary_list.inc"
#undef LINNET_UNARY
}

}  // namespace linnet::LINNET_SIMD_NS
