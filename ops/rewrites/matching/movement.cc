#include "rewrites/matching/movement.h"

#include <algorithm>
#include <string_view>

#include "rewrites/matching/match.h"

namespace linnet {
namespace {

constexpr std::string_view kMovement[] = {"Reshape", "Transpose", "Flatten", "Squeeze",      "Unsqueeze",   "Slice",
                                          "Gather",  "Expand",    "Tile",    "DepthToSpace", "SpaceToDepth"};

bool repeats_elements(const Node& resize) {
  return resize.spec.attr_or("mode", "nearest") == "nearest" &&
         resize.spec.attr_or("coordinate_transformation_mode", "") != "tf_crop_and_resize";
}

}  // namespace

size_t moved_inputs(const Node& node) {
  if (is_op(node, "Concat")) return node.inputs.size();
  if (is_op(node, "Resize") || is_op(node, "Upsample")) return repeats_elements(node) ? 1 : 0;
  return node.spec.domain.empty() && std::ranges::count(kMovement, node.spec.op_type) ? 1 : 0;
}

}  // namespace linnet
