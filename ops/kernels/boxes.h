#pragma once

#include <cstdint>

namespace linnet {

/// Boxes with their corners, y1 <= y2 and x1 <= x2, and their areas.
struct BoxColumns {
  const float *y1, *x1, *y2, *x2, *area;
};

struct BoxKernels {
  /// Whether the intersection of box 0 of `box` with one of the first `count` of `boxes` is more than the part `most`
  /// of their union. Boxes without a common area share a part of 0.
  bool (*overlap)(const BoxColumns& box, const BoxColumns& boxes, int64_t count, float most);
};

}  // namespace linnet
