#include "rewrites/matching/movement.h"

#include <algorithm>
#include <string_view>

#include "rewrites/matching/match.h"

namespace linnet {
namespace {

constexpr std::string_view kMovement[] = {"Reshape", "Transpose", "Flatten", "Squeeze",      "Unsqueeze",   "Slice",
                                          "Gather",  "Expand",    "Tile",    "DepthToSpace", "SpaceToDepth"};

}  // namespace

size_t moved_inputs(const Node& node) {
  if (is_op(node, "Concat")) return node.inputs.size();
  return node.spec.domain.empty() && std::ranges::count(kMovement, node.spec.op_type) ? 1 : 0;
}

}  // namespace linnet
