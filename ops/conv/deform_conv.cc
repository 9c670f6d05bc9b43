#include "conv/deform_op.h"
#include "registration.h"

namespace linnet {

/// DeformConv of ai.onnx and of the internal domain, where group counts that are not given follow from the shapes. See
/// DeformOp.
LINNET_REGISTER(deform_conv)(Registry& registry) {
  registry.add("DeformConv", {.since = 19},
               [](const NodeSpec& node) { return std::make_unique<DeformOp>(node, false); });
  registry.add("DeformConv", {.since = 1, .domain = kInternalDomain},
               [](const NodeSpec& node) { return std::make_unique<DeformOp>(node, true); });
}

}  // namespace linnet
