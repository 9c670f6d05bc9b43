#include "rewrites/layout.h"
#include "rewrites/match.h"
#include "rewrites/sink_transpose.h"

namespace linnet {
namespace {

bool concrete4(const Fact& fact, int rank) { return fact.concrete() && fact.rank() == rank; }

ValueId add_reshape(Patch& patch, const Node& node, ValueId value, const std::vector<int64_t>& dims) {
  const ValueId shape = patch.constant(node.spec.name + ".shape", Tensor::of(dims));
  return patch.add(standard_spec(node, "Reshape", 5), {value, shape});
}

// [N, C, H, W] split into [N, g, C/g, H, W].
bool splits_channels(const Shape& from, const Shape& to) {
  return from[0] == to[0] && from[1] == to[1] * to[2] && from[2] == to[3] && from[3] == to[4];
}

}  // namespace

// Channel shuffle, Reshape(Transpose(Reshape(x, [N,g,C/g,H,W]), [0,2,1,3,4]), [N,C,H,W]), on the last axis instead.
// Source: Zhang et al., "ShuffleNet", arXiv:1707.01083.
std::optional<Patch> sink_through_channel_shuffle(const Graph& graph, const Node& node) {
  if (!is_op(node, "Reshape") || !concrete4(graph.fact(node.outputs[0]), 4)) return std::nullopt;
  const Node* transpose = producer(graph, node, 0, "Transpose");
  const Node* split = transpose ? producer(graph, *transpose, 0, "Reshape") : nullptr;
  if (!split || transpose->spec.attr_or("perm", std::vector<int64_t>{}) != std::vector<int64_t>{0, 2, 1, 3, 4}) {
    return std::nullopt;
  }
  const ValueId source = channels_last_source(graph, *split, 0);
  if (source == kNoValue || !concrete4(graph.fact(split->outputs[0]), 5)) return std::nullopt;
  const Shape from = graph.input_fact(*split, 0).shape(), groups = graph.fact(split->outputs[0]).shape();
  if (!(graph.fact(node.outputs[0]).shape() == from) || !splits_channels(from, groups)) return std::nullopt;
  Patch patch(graph);
  ValueId value = add_reshape(patch, node, source, {from[0], from[2], from[3], groups[1], groups[2]});
  NodeSpec swap = standard_spec(node, "Transpose", 1);
  swap.attributes["perm"] = std::vector<int64_t>{0, 1, 2, 4, 3};
  value = add_reshape(patch, node, patch.add(swap, {value}), {from[0], from[2], from[3], from[1]});
  patch.replace(node.outputs[0], add_to_channels_first(patch, node, value, 4));
  return patch;
}

}  // namespace linnet
