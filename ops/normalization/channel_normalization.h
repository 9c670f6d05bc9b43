#pragma once

#include <cmath>
#include <numeric>
#include <type_traits>

#include "elements/dispatch.h"
#include "kernels/normalize.h"

// Normalisation of float32 and float64 channels by SIMD kernels.
namespace linnet {

/// The sum of term(x[i]) in float64. The order of the additions is fixed.
template <class T, class Term>
double sum_of(const T* x, int64_t n, Term term) {
  constexpr int64_t kLanes = 8;
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) lanes[k] += term(double(x[i + k]));
  }
  for (int64_t k = 0; i < n; ++i, ++k) lanes[k] += term(double(x[i]));
  return std::accumulate(lanes, lanes + kLanes, 0.0);
}

template <class T>
struct Moments {
  T mean;
  T variance;  ///< The population variance.
};

template <class T>
Moments<T> moments(const NormalizeKernels& kernels, const T* x, int64_t n) {
  const auto [mean, variance] = [&] {
    if constexpr (std::is_same_v<T, float>)
      return kernels.moments(x, n);
    else
      return kernels.doubles.moments(x, n);
  }();
  return {mean, variance};
}

/// y[i] = scale[i] / sqrt(variance[i] + epsilon), computed in T.
template <class T>
void set_factors(const NormalizeKernels& kernels, const double* scale, const double* variance, double epsilon, T* y,
                 int64_t n) {
  if constexpr (std::is_same_v<T, float>)
    kernels.factors(scale, variance, epsilon, y, n);
  else
    kernels.doubles.factors(scale, variance, epsilon, y, n);
}

/// y[i] = (x[i] - mean) * factor + bias.
template <class T>
void normalize_channel(const NormalizeKernels& kernels, const T* x, T* y, int64_t n, T mean, T factor, T bias) {
  if constexpr (std::is_same_v<T, float>)
    kernels.normalize_channel(x, y, n, mean, factor, bias);
  else
    kernels.doubles.normalize_channel(x, y, n, mean, factor, bias);
}

}  // namespace linnet
