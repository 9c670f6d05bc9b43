#include "rewrites/matching/movement.h"

namespace linnet {

std::vector<size_t> moved_inputs(const Node& node) {
  std::vector<size_t> moved;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] != kNoValue && node.op->moves(int(i))) moved.push_back(i);
  }
  return moved;
}

}  // namespace linnet
