#pragma once

#include <cstdint>

namespace linnet {

struct SampleKernels {
  /// y[i] = the sum over t < taps of weights[t * pitch + i] * x[offsets[t * pitch + i]], in the order of t, for i < n;
  /// where an offset is negative nothing is added.
  void (*weighted)(const float* x, const int32_t* offsets, const float* weights, int64_t taps, int64_t pitch, int64_t n,
                   float* y);
};

}  // namespace linnet
