#pragma once

#include <vector>

#include "graph/patch.h"

namespace linnet {

/// True for what only changes the shape: Reshape, Flatten, Squeeze, Unsqueeze; false for null.
bool is_reshape(const Node* node);

/// Adds a Reshape to `dims`, 0 and -1 as ONNX defines them.
ValueId add_reshape(Patch& patch, const Node& for_node, ValueId x, const std::vector<int64_t>& dims);
/// Adds one to known dims, none of which may be 0.
ValueId add_reshape(Patch& patch, const Node& for_node, ValueId x, const Dims& dims);

/// Adds a Transpose of the last two axes.
ValueId add_matrix_transpose(Patch& patch, const Node& for_node, ValueId x, int rank);

}  // namespace linnet
