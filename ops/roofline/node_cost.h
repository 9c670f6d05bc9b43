#pragma once

#include <cstdint>
#include <span>

#include "linnet/node_spec.h"
#include "linnet/tensor.h"

namespace linnet {

/// What a node has to compute and to move, by the definition of its operator, whatever its kernel makes of it.
struct NodeCost {
  /// Multiplications that are added up in products: of convolutions, matrices, attention, recurrent cells. 0 where the
  /// operator has none, and for nodes with bodies, whose own nodes count.
  int64_t multiply_adds = 0;
  /// What is multiplied: kFloat32, kFloat64, kInt16 for operands of 8 bits; kUndefined for other types and for nothing.
  DType multiplied = DType::kUndefined;
  /// Bytes of the inputs that are read, weights as the model holds them, and of the outputs. Strings, containers and
  /// nodes with bodies count nothing.
  int64_t bytes = 0;
};

/// `in` and `out`: empty tensors where omitted; contents are read of sequence_lens and nonpad_kv_seqlen alone.
LINNET_API NodeCost node_cost(const NodeSpec& node, std::span<const Tensor* const> in,
                              std::span<const Tensor* const> out);

}  // namespace linnet
