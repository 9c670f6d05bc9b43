#pragma once

// Included by *.simd.cc only: Winograd's minimal filtering F(m, r) along one axis, for vectors of float or double.
// `input` transforms m + r - 1 inputs, `filter` transforms r taps to as many elements, and `output` transforms their
// products to m outputs.

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// An axis of one output.
struct F1 {
  static constexpr int kOutputs = 1, kInputs = 1, kTaps = 1;

  template <class V>
  [[gnu::always_inline]] static inline void input(const V* x, V* t) {
    t[0] = x[0];
  }
  template <class V>
  [[gnu::always_inline]] static inline void output(const V* m, V* y) {
    y[0] = m[0];
  }
  template <class V>
  [[gnu::always_inline]] static inline void filter(const V* g, V* u) {
    u[0] = g[0];
  }
};

/// F(2, 3) along one axis.
struct F2 {
  static constexpr int kOutputs = 2, kInputs = 4, kTaps = 3;

  template <class V>
  [[gnu::always_inline]] static inline void input(const V* x, V* t) {
    t[0] = x[2] - x[0];
    t[1] = x[1] + x[2];
    t[2] = x[2] - x[1];
    t[3] = x[3] - x[1];
  }

  template <class V>
  [[gnu::always_inline]] static inline void output(const V* m, V* y) {
    y[0] = m[0] + (m[1] + m[2]);
    y[1] = (m[1] - m[2]) + m[3];
  }

  template <class V>
  [[gnu::always_inline]] static inline void filter(const V* g, V* u) {
    const V half(0.5), even = half * (g[0] + g[2]), odd = half * g[1];
    u[0] = -g[0];
    u[1] = even + odd;
    u[2] = even - odd;
    u[3] = g[2];
  }
};

/// F(3, 3) along one axis.
struct F3 {
  static constexpr int kOutputs = 3, kInputs = 5, kTaps = 3;

  template <class V>
  [[gnu::always_inline]] static inline void input(const V* x, V* t) {
    const V half(0.5), odd = x[3] - x[1];
    t[0] = xsimd::fma(half, x[0] - x[2], odd);
    t[1] = xsimd::fma(half, x[2] - x[1], x[3]);
    t[2] = xsimd::fma(half, x[1], xsimd::fnma(V(1.5), x[2], x[3]));
    t[3] = odd;
    t[4] = xsimd::fnma(half, odd, x[4] - x[2]);
  }

  template <class V>
  [[gnu::always_inline]] static inline void output(const V* m, V* y) {
    const V sum = m[1] + m[2];
    y[0] = m[0] + (sum + m[3]);
    y[1] = xsimd::fma(V(0.5), m[3], m[1] - m[2]);
    y[2] = xsimd::fma(V(0.25), m[3], sum + m[4]);
  }

  template <class V>
  [[gnu::always_inline]] static inline void filter(const V* g, V* u) {
    const V even = g[0] + g[2];
    u[0] = V(2) * g[0];
    u[1] = even + g[1];
    u[2] = V(-1.0 / 3) * (even - g[1]);
    u[3] = V(-8.0 / 3) * xsimd::fma(V(0.5), g[1], xsimd::fma(V(0.25), g[2], g[0]));
    u[4] = g[2];
  }
};

/// The points +-sqrt(1/2) and +-sqrt(2), of vectors of float or double.
template <class V>
struct Points {
  using Value = typename V::value_type;
  const V small = V(Value(0.70710678118654752440)), large = V(Value(1.41421356237309504880));
};

/// F(4, 3) along one axis.
struct F4 {
  static constexpr int kOutputs = 4, kInputs = 6, kTaps = 3;

  template <class V>
  [[gnu::always_inline]] static inline void input(const V* x, V* t) {
    const auto [small, large] = Points<V>();
    const V two(2), half(0.5), middle(2.5);
    const V even_small = xsimd::fnma(two, x[2], x[4]), odd_small = xsimd::fnma(two, x[1], x[3]);
    const V even_large = xsimd::fnma(half, x[2], x[4]), odd_large = xsimd::fnma(half, x[1], x[3]);
    t[0] = xsimd::fnma(middle, x[2], x[0] + x[4]);
    t[1] = xsimd::fma(small, odd_small, even_small);
    t[2] = xsimd::fnma(small, odd_small, even_small);
    t[3] = xsimd::fma(large, odd_large, even_large);
    t[4] = xsimd::fnma(large, odd_large, even_large);
    t[5] = xsimd::fnma(middle, x[3], x[1] + x[5]);
  }

  template <class V>
  [[gnu::always_inline]] static inline void output(const V* m, V* y) {
    const auto [small, large] = Points<V>();
    const V two(2), half(0.5);
    const V even_small = m[1] + m[2], odd_small = small * (m[1] - m[2]);
    const V even_large = m[3] + m[4], odd_large = large * (m[3] - m[4]);
    y[0] = m[0] + (even_small + even_large);
    y[1] = odd_small + odd_large;
    y[2] = xsimd::fma(two, even_large, half * even_small);
    y[3] = xsimd::fma(two, odd_large, xsimd::fma(half, odd_small, m[5]));
  }

  template <class V>
  [[gnu::always_inline]] static inline void filter(const V* g, V* u) {
    const auto [small, large] = Points<V>();
    const V half(0.5), two(2), by_small(-2.0 / 3), by_large(1.0 / 6);
    const V even_small = xsimd::fma(half, g[2], g[0]), odd_small = small * g[1];
    const V even_large = xsimd::fma(two, g[2], g[0]), odd_large = large * g[1];
    u[0] = g[0];
    u[1] = by_small * (even_small + odd_small);
    u[2] = by_small * (even_small - odd_small);
    u[3] = by_large * (even_large + odd_large);
    u[4] = by_large * (even_large - odd_large);
    u[5] = g[2];
  }
};

/// F(5, 2) along one axis.
struct F5 {
  static constexpr int kOutputs = 5, kInputs = 6, kTaps = 2;

  template <class V>
  [[gnu::always_inline]] static inline void input(const V* x, V* t) {
    F4::input(x, t);
  }

  template <class V>
  [[gnu::always_inline]] static inline void output(const V* m, V* y) {
    const auto [small, large] = Points<V>();
    const V two(2), half(0.5), even_small = m[1] + m[2], odd_small = small * (m[1] - m[2]);
    const V even_large = m[3] + m[4], odd_large = large * (m[3] - m[4]);
    y[0] = m[0] + (even_small + even_large);
    y[1] = odd_small + odd_large;
    y[2] = xsimd::fma(two, even_large, half * even_small);
    y[3] = xsimd::fma(two, odd_large, half * odd_small);
    y[4] = xsimd::fma(V(4), even_large, xsimd::fma(V(0.25), even_small, m[5]));
  }

  template <class V>
  [[gnu::always_inline]] static inline void filter(const V* g, V* u) {
    const auto [small, large] = Points<V>();
    const V by_small(-2.0 / 3), by_large(1.0 / 6), odd_small = small * g[1], odd_large = large * g[1];
    u[0] = g[0];
    u[1] = by_small * (g[0] + odd_small);
    u[2] = by_small * (g[0] - odd_small);
    u[3] = by_large * (g[0] + odd_large);
    u[4] = by_large * (g[0] - odd_large);
    u[5] = g[1];
  }
};

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
