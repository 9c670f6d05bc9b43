#pragma once

#include <cmath>

#include "elements/dispatch.h"
#include "kernels/normalize.h"

// Normalisation of channels, on float32 by SIMD kernels, on float64 by plain loops.
namespace linnet {

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
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; ++i) sum += double(x[i]);
    const double mean = sum / double(n);
    for (int64_t i = 0; i < n; ++i) square += (double(x[i]) - mean) * (double(x[i]) - mean);
    return {static_cast<T>(mean), static_cast<T>(square / double(n))};
  }
}

/// y[i] = (x[i] - mean) * factor + bias.
template <class T>
void normalize_channel(const NormalizeKernels& kernels, const T* x, T* y, int64_t n, T mean, T factor, T bias) {
  if constexpr (std::is_same_v<T, float>) {
    kernels.normalize_channel(x, y, n, mean, factor, bias);
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor + bias;
  }
}

}  // namespace linnet
