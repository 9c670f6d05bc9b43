#pragma once

#include <vector>

#include "graph/graph.h"
#include "linnet/quantize.h"

namespace linnet {

/// A Conv, MatMul or Gemm whose weights, its input 1, are constant float32, with one row of `axis` for each output
/// channel; the bias is a constant of one float32 for each, or none.
struct Layer {
  NodeId node = kNoValue;
  Tensor weights, bias;
  int axis = 0;

  int64_t channels() const { return weights.dim(axis); }
};

/// All of a graph that a mode can quantise, in order.
std::vector<Layer> find_layers(const Graph& graph, QuantizeMode mode);

/// The name that a node goes by in QuantizeOptions::exclude.
std::string layer_name(const Graph& graph, NodeId node);

}  // namespace linnet
