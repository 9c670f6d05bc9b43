#pragma once

#include <cstdint>

#include "linnet/op.h"

namespace linnet {

/// The computation and memory traffic of a node by the definition of its operator, independent of its kernel.
struct NodeCost {
  int64_t multiply_adds = 0;  ///< Op::multiply_adds()
  /// The operands of the products: kFloat32, kFloat64, or kInt16 for 8-bit operands; kUndefined for other types and
  /// without products.
  DType multiplied = DType::kUndefined;
  int64_t bytes = 0;  ///< Op::bytes_moved(), with weights as the model stores them.
};

/// Returns the cost of a node. Nodes with bodies cost nothing; the nodes in the bodies count instead.
LINNET_API NodeCost node_cost(const NodeSpec& node, const Op& op, const NodeValues& values);

}  // namespace linnet
