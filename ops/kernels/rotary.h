#pragma once

#include <cstdint>

namespace linnet {

/// Rows of pairs of values and the angles to rotate them by. Pitches are in elements.
struct RotaryRows {
  const float* x;
  float* y;  ///< does not overlap x
  int64_t pitch;
  const float *cos, *sin;
  int64_t angle_pitch;
  bool whole;  ///< cosines and sines for each value, in the order of x, not for each pair
  int64_t count, pairs;
};

/// (cos x1 - sin x2, sin x1 + cos x2) of each pair.
struct RotaryKernels {
  void (*halves)(const RotaryRows& rows);      ///< the second values of all pairs come behind the first ones
  void (*neighbours)(const RotaryRows& rows);  ///< each pair's values are neighbours
};

}  // namespace linnet
