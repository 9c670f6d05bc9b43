#pragma once

#include <vector>

#include "graph/patch.h"

namespace linnet {

/// Whether a node only changes the shape: Reshape, Flatten, Squeeze or Unsqueeze; false for null.
bool is_reshape(const Node* node);

/// Adds a Reshape to `dims`, where 0 and -1 mean what ONNX defines.
ValueId add_reshape(Patch& patch, const Node& for_node, ValueId x, const std::vector<int64_t>& dims);
/// Adds a Reshape to dims, none of which may be 0.
ValueId add_reshape(Patch& patch, const Node& for_node, ValueId x, const Dims& dims);

/// Adds a Transpose of the last two axes of a value of that rank.
ValueId add_matrix_transpose(Patch& patch, const Node& for_node, ValueId x, int rank);

}  // namespace linnet
