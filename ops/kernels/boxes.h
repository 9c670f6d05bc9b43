#pragma once

#include <cstdint>

namespace linnet {

/// Boxes as their corners, with y1 <= y2 and x1 <= x2, and their areas.
struct BoxColumns {
  const float *y1, *x1, *y2, *x2, *area;
};

struct BoxKernels {
  /// Whether box 0 of `box` and one of the first `count` of `boxes` have an intersection larger than the fraction
  /// `most` of their union. The fraction is 0 for boxes without a common area.
  bool (*overlap)(const BoxColumns& box, const BoxColumns& boxes, int64_t count, float most);
};

}  // namespace linnet
