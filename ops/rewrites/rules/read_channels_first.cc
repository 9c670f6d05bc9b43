#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// Whether an image may be large enough to be read line by line (see suits_line_conv()).
bool may_be_large(const Fact& x) {
  constexpr int64_t kLeastExtent = 16;
  return !(x.dim(2).known() && x.dim(2).value() < kLeastExtent) &&
         !(x.dim(3).known() && x.dim(3).value() < kLeastExtent);
}

bool steps_are_short(const NodeSpec& conv) {
  const auto* strides = conv.find<std::vector<int64_t>>("strides");
  return !strides || strides->empty() || strides->back() <= 2;
}

/// Whether a value is a graph input, possibly cast to another dtype.
bool is_graph_input(const Graph& graph, ValueId value) {
  const Node* producer = graph.producer(value);
  if (producer && is_op(*producer, "Cast")) return is_graph_input(graph, producer->inputs[0]);
  return !producer && !graph.fact(value).constant;
}

}  // namespace

// linnet::Conv(to_channels_last(x)) -> linnet::Conv(x) with x_channels_first: the few channels of an image are read in
// place.
LINNET_DEFINE_REWRITE(read_channels_first, internal_op("Conv"))(const Graph& graph, const Node& node) {
  constexpr int64_t kMostChannels = 4;
  if (node.spec.attr_or("x_channels_first", int64_t{0})) return std::nullopt;
  const Node* transpose = producer(graph, node, 0, "Transpose");
  const Fact& w = graph.input_fact(node, 1);
  if (!transpose || !is_graph_input(graph, transpose->inputs[0]) || !w.has_rank() || w.rank() != 4) return std::nullopt;
  const auto* perm = transpose->spec.find<std::vector<int64_t>>("perm");
  const bool few = w.dim(1).known() && w.dim(1).value() <= kMostChannels;
  if (!perm || *perm != perm_to_channels_last(w.rank()) || !few) return std::nullopt;
  if (!may_be_large(graph.fact(transpose->inputs[0])) || !steps_are_short(node.spec)) return std::nullopt;
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = transpose->inputs[0];
  NodeSpec spec = internal_spec(node, "Conv");
  spec.attributes["x_channels_first"] = int64_t{1};
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
