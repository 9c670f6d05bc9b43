#include "kernels/row_norms.h"

#include "kernels/widened.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// The norms: how each maps a value, how it joins values, and whether a value may count twice. T: double, F64 or a
// compiler vector.

struct Max {
  static constexpr bool kJoinsAgain = true;
  template <class T>
  static T term(T x) {
    return x;
  }
  template <class T>
  static T join(T a, T b) {
    return a < b ? b : a;
  }
  static F64 join(F64 a, F64 b) { return xsimd::select(a < b, b, a); }
  static double norm(double joined) { return joined; }
};
struct L1 {
  static constexpr bool kJoinsAgain = false;
  static double term(double x) { return __builtin_fabs(x); }
  static F64 term(F64 x) { return xsimd::abs(x); }
  template <class T>
  static T join(T a, T b) {
    return a + b;
  }
  static double norm(double joined) { return joined; }
};
struct L2 : L1 {
  template <class T>
  static T term(T x) {
    return x * x;
  }
  static double norm(double joined) { return __builtin_sqrt(joined); }
};

template <class Norm>
double norm_of_few(const float* x, int64_t n) {
  if (n == 0) return 0;
  double all = Norm::term(double(x[0]));
  for (int64_t i = 1; i < n; ++i) all = Norm::join(all, Norm::term(double(x[i])));
  return Norm::norm(all);
}

template <class Norm>
double norm_of(const float* x, int64_t n) {
  if (n < kWideBlock) return norm_of_few<Norm>(x, n);
  F64 parts[kWideParts];
  LINNET_UNROLL for (int p = 0; p < kWideParts; ++p) parts[p] = Norm::term(widened(x + p * kWideLanes));
  const auto join = [&](const float* block, const int32_t* mask) {
    LINNET_UNROLL for (int p = 0; p < kWideParts; ++p) {
      const F64 values = widened(block + p * kWideLanes, mask ? mask + p * kWideLanes : nullptr);
      parts[p] = Norm::join(parts[p], Norm::term(values));
    }
  };
  int64_t i = kWideBlock;
  for (; i + kWideBlock <= n; i += kWideBlock) join(x + i, nullptr);
  if (i < n) join(x + n - kWideBlock, Norm::kJoinsAgain ? nullptr : kLastValues + (n - i));
  return Norm::norm(joined_lanes(parts, [](auto a, auto b) { return Norm::join(a, b); }));
}

/// Sets y[i] to f(x[i]); f takes double or F64.
template <class F>
void map_row(const float* x, int64_t n, float* y, F f) {
  if (n < kWideBlock) {
    for (int64_t i = 0; i < n; ++i) y[i] = float(f(double(x[i])));
    return;
  }
  for (int64_t i = 0; i < n; i += kWideBlock) {
    const int64_t at = i + kWideBlock <= n ? i : n - kWideBlock;
    LINNET_UNROLL for (int p = 0; p < kWideParts; ++p) {
      store_narrowed(f(widened(x + at + p * kWideLanes)), y + at + p * kWideLanes);
    }
  }
}

template <class Norm>
void rows(const float* x, int64_t count, int64_t n, float* y) {
  for (; count > 0; --count, x += n, y += n) {
    const double norm = norm_of<Norm>(x, n), factor = norm == 0 ? 1 : 1 / norm;
    if (__builtin_fabs(factor) == __builtin_inf()) {
      map_row(x, n, y, [norm](auto v) { return v / decltype(v)(norm); });
    } else {
      map_row(x, n, y, [factor](auto v) { return v * decltype(v)(factor); });
    }
  }
}

}  // namespace

void fill(RowNormKernels& kernels);

void fill(RowNormKernels& kernels) { kernels = {.max = rows<Max>, .l1 = rows<L1>, .l2 = rows<L2>}; }

}  // namespace linnet::LINNET_SIMD_NS
