#pragma once

#include <vector>

#include "graph/graph.h"
#include "linnet/quantize.h"

namespace linnet {

/// A Conv, MatMul or Gemm whose weights (input 1) are constant float32. Their axis `axis` has one row for each output
/// channel. The bias is constant float32 with one element for each output channel, or absent.
struct Layer {
  NodeId node = kNoValue;
  Tensor weights, bias;
  int axis = 0;

  int64_t channels() const { return weights.dim(axis); }
};

/// Returns all layers of a graph that a mode can quantise, in order.
std::vector<Layer> find_layers(const Graph& graph, QuantizeMode mode);

/// The name of a node in QuantizeOptions::exclude.
std::string layer_name(const Graph& graph, NodeId node);

}  // namespace linnet
