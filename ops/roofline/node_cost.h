#pragma once

#include <cstdint>

#include "linnet/op.h"

namespace linnet {

/// What a node has to compute and to move, by the definition of its operator, whatever its kernel makes of it.
struct NodeCost {
  int64_t multiply_adds = 0;  ///< Op::multiply_adds()
  /// What is multiplied: kFloat32, kFloat64, kInt16 for operands of 8 bits; kUndefined for other types and for nothing.
  DType multiplied = DType::kUndefined;
  int64_t bytes = 0;  ///< Op::bytes_moved(), with weights as the model holds them
};

/// Nodes with bodies cost nothing: the nodes in them count.
LINNET_API NodeCost node_cost(const NodeSpec& node, const Op& op, const NodeValues& values);

}  // namespace linnet
