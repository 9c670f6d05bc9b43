#include "rewrites/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

bool can_take_residual(const Graph& graph, const Node& add, const Node* conv) {
  return conv && conv->inputs.size() < 4 && conv->spec.attr_or("activation", "").empty() &&
         graph.only_consumer(conv->outputs[0]) == &add;
}

}  // namespace

// Add(linnet::Conv(x, w, b), r) -> linnet::Conv(x, w, b, r): r has the shape of the result.
std::optional<Patch> fuse_residual_into_conv(const Graph& graph, const Node& node) {
  if (!is_op(node, "Add")) return std::nullopt;
  for (int input = 0; input < 2; ++input) {
    const Node* conv = producer(graph, node, input, "Conv", kInternalDomain);
    if (!can_take_residual(graph, node, conv)) continue;
    const ValueId residual = other_input(node, conv->outputs[0]);
    if (residual == kNoValue || !same_shape(graph.fact(residual), graph.fact(conv->outputs[0]))) continue;
    std::vector<ValueId> inputs = conv->inputs;
    inputs.resize(3, kNoValue);
    inputs.push_back(residual);
    Patch patch(graph);
    patch.replace(node.outputs[0], patch.add(conv->spec, inputs));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
