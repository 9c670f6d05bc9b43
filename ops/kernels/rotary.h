#pragma once

#include <cstdint>

namespace linnet {

/// Rows of pairs of values and the angles by which they are rotated. Pitches are in elements.
struct RotaryRows {
  const float* x;
  float* y;  ///< does not overlap x
  int64_t pitch;
  const float *cos, *sin;
  int64_t angle_pitch;
  bool whole;  ///< whether there is a cosine and sine for each value, in the order of x, instead of one for each pair
  int64_t count, pairs;
};

/// Computes (cos x1 - sin x2, sin x1 + cos x2) for each pair.
struct RotaryKernels {
  void (*halves)(const RotaryRows& rows);      ///< the second values of all pairs follow the first ones
  void (*neighbours)(const RotaryRows& rows);  ///< the values of each pair are adjacent
};

}  // namespace linnet
