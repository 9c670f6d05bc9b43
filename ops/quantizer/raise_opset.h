#pragma once

#include "linnet/node_spec.h"
#include "linnet/quantize.h"

namespace linnet {

/// The opset of ai.onnx that the operators need which a mode writes.
int64_t needed_opset(const QuantizeOptions& options);

/// The node as one of `opset`, the opset of the model to write, where its operator means the same there; else as it is.
/// Throws Error(kUnsupported) where it then is of an older one than `needed`.
NodeSpec raise_opset(const NodeSpec& spec, int64_t opset, int64_t needed);

}  // namespace linnet
