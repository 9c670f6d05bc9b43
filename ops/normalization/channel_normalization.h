#pragma once

#include <cmath>
#include <numeric>

#include "elements/dispatch.h"
#include "kernels/normalize.h"
#include "partition/checkpoints.h"

// Normalisation of channels, on float32 by SIMD kernels, on float64 by plain loops.
namespace linnet {

/// The sum of term(x[i]) in float64, in lanes of a fixed order.
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
  T variance;  ///< of the population
};

template <class T>
Moments<T> moments(const NormalizeKernels& kernels, const T* x, int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    const auto [mean, variance] = kernels.moments(x, n);
    return {mean, variance};
  } else {
    Checkpoints checkpoints;
    double sum = 0, square = 0;
    checkpoints.in_parts(n, 1, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) sum += double(x[i]);
    });
    const double mean = sum / double(n);
    checkpoints.in_parts(n, 1, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) square += (double(x[i]) - mean) * (double(x[i]) - mean);
    });
    return {static_cast<T>(mean), static_cast<T>(square / double(n))};
  }
}

/// y[i] = (x[i] - mean) * factor + bias.
template <class T>
void normalize_channel(const NormalizeKernels& kernels, const T* x, T* y, int64_t n, T mean, T factor, T bias) {
  if constexpr (std::is_same_v<T, float>) {
    kernels.normalize_channel(x, y, n, mean, factor, bias);
  } else {
    Checkpoints().in_parts(n, 1, [=](int64_t i, int64_t end) {
      for (; i < end; ++i) y[i] = (x[i] - mean) * factor + bias;
    });
  }
}

}  // namespace linnet
