#pragma once

#include "linnet/node_spec.h"
#include "linnet/quantize.h"

namespace linnet {

/// The opset of ai.onnx that the operators of a mode need.
int64_t needed_opset(const QuantizeOptions& options);

/// Returns the node with `opset`, the opset of the model to write, if its operator has the same meaning there;
/// otherwise unchanged. Throws Error(kUnsupported) if the result has an opset older than `needed`.
NodeSpec raise_opset(const NodeSpec& spec, int64_t opset, int64_t needed);

}  // namespace linnet
