#include "conv/deform_op.h"
#include "registration.h"

namespace linnet {
namespace {

std::unique_ptr<Op> make_deform_conv2d(const NodeSpec& node) {
  if (node.num_inputs == 2) {
    throw Error(ErrorKind::kModel,
                "it has the inputs (input, offset) only: its weights were never exported, so it cannot be computed. "
                "Export it again with a symbolic function that passes weight, offset, bias and mask as inputs and "
                "strides, pads, dilations, group and offset_group as attributes, or with linnet_torch.export");
  }
  return std::make_unique<DeformOp>(node, true);
}

}  // namespace

/// custom::deform_conv2d: torchvision.ops.deform_conv2d as exporters write it, (input, weight, offset, bias?, mask?)
/// with DeformConv's attributes, all of them optional. Group counts that are not given are derived from the shapes.
LINNET_REGISTER(deform_conv2d)(Registry& registry) {
  registry.add("deform_conv2d", {.since = 1, .domain = "custom"}, make_deform_conv2d);
}

}  // namespace linnet
