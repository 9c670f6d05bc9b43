#include "nn/deform_op.h"
#include "op_list.h"

namespace linnet {

/// DeformConv: see DeformOp. A point at or beyond one pixel outside the unpadded image gives zero; its neighbours
/// outside count as zero. Source: https://onnx.ai/onnx/operators/onnx__DeformConv.html
void register_deform_conv(Registry& registry) {
  registry.add("DeformConv", {.since = 19},
               [](const NodeSpec& node) { return std::make_unique<DeformOp>(node, false); });
}

}  // namespace linnet
