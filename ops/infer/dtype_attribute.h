#pragma once

#include <string>

#include "linnet/node_spec.h"

namespace linnet {

/// Returns the element type that an attribute names by its number in onnx.TensorProto.DataType: `fallback` if the
/// attribute is absent, kUndefined for 0. Throws Error(kUnsupported) for a number that names no known type.
DType dtype_attribute(const NodeSpec& node, const std::string& attribute, DType fallback = DType::kUndefined);

}  // namespace linnet
