#include "kernels/boxes.h"

#include <algorithm>

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int64_t kBoxes = 32;  // boxes that are compared together

/// Compares n boxes. The loops have no branches, so that compilers vectorise them.
[[gnu::always_inline]] inline bool overlap_block(const BoxColumns& box, const BoxColumns& boxes, int64_t first,
                                                 int64_t n, float most) {
  float heights[kBoxes], widths[kBoxes];
  int touching = 0, found = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t j = first + i;
    heights[i] = std::min(box.y2[0], boxes.y2[j]) - std::max(box.y1[0], boxes.y1[j]);
    widths[i] = std::min(box.x2[0], boxes.x2[j]) - std::max(box.x1[0], boxes.x1[j]);
    touching |= !(heights[i] <= 0) & !(widths[i] <= 0);
  }
  if (!touching) return 0 > most;
  for (int64_t i = 0; i < n; ++i) {
    const float shared = heights[i] * widths[i];
    const int apart = (heights[i] <= 0) | (widths[i] <= 0);
    const int more = shared / (box.area[0] + boxes.area[first + i] - shared) > most;
    found |= apart ? int(0 > most) : more;
  }
  return found != 0;
}

bool overlap(const BoxColumns& box, const BoxColumns& boxes, int64_t count, float most) {
  int64_t i = 0;
  for (; i + kBoxes <= count; i += kBoxes) {
    if (overlap_block(box, boxes, i, kBoxes, most)) return true;
  }
  return i < count && overlap_block(box, boxes, i, count - i, most);
}

}  // namespace

void fill(BoxKernels& k);

void fill(BoxKernels& k) { k.overlap = overlap; }

}  // namespace linnet::LINNET_SIMD_NS
