#include "quantizer/layers.h"

#include <limits>

#include "rewrites/matching/match.h"

namespace linnet {
namespace {

bool is_plain_gemm(const Node& node) {
  return is_op(node, "Gemm") && !node.spec.attr_or("transA", false) && node.spec.attr_or("alpha", 1.0f) == 1 &&
         node.spec.attr_or("beta", 1.0f) == 1;
}

/// Whether the largest sum of this many products of uint8 and int8 fits into int32.
bool sums_fit(int64_t terms) { return terms <= std::numeric_limits<int32_t>::max() / (255 * 128); }

bool is_product(const Node& node, QuantizeMode mode) {
  return (is_op(node, "Conv") && mode != QuantizeMode::kInt4) || is_op(node, "MatMul") || is_plain_gemm(node);
}

/// The axis of the weights that is the output channels; -1 if the rank is wrong for the operator.
int channel_axis(const Node& node, const Tensor& weights) {
  if (is_op(node, "Conv")) return weights.rank() > 2 ? 0 : -1;
  if (weights.rank() != 2) return -1;
  return node.spec.attr_or("transB", false) ? 0 : 1;
}

}  // namespace

std::vector<Layer> find_layers(const Graph& graph, QuantizeMode mode) {
  std::vector<Layer> layers;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    const Tensor* weights = is_product(node, mode) ? graph.constant_input(node, 1) : nullptr;
    if (!weights || weights->dtype() != DType::kFloat32 || weights->size() == 0) continue;
    const int axis = channel_axis(node, *weights);
    const Tensor* bias = graph.constant_input(node, 2);
    const bool fits = !graph.input_fact(node, 2).present() || (bias && axis >= 0 && bias->size() == weights->dim(axis));
    if (axis < 0 || !fits || graph.constant_input(node, 0)) continue;
    if (mode != QuantizeMode::kInt4 && !sums_fit(weights->size() / weights->dim(axis))) continue;
    layers.push_back({id, *weights, bias ? bias->reshaped({bias->size()}) : Tensor(), axis});
  }
  return layers;
}

std::string layer_name(const Graph& graph, NodeId node) {
  const Node& named = graph.node(node);
  return named.spec.name.empty() ? graph.value(named.outputs[0]).name : named.spec.name;
}

}  // namespace linnet
