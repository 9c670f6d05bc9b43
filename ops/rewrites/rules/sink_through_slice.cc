#include "infer/infer.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/sink_transpose.h"

namespace linnet {
namespace {

// The constant axes of a Slice since opset 10; nullopt if they are unknown.
std::optional<std::vector<int64_t>> slice_axes(const Graph& graph, const Node& node) {
  if (graph.input_fact(node, 3).present()) return constant_ints(graph.input_fact(node, 3));
  const auto starts = constant_ints(graph.input_fact(node, 1));
  if (!starts) return std::nullopt;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < starts->size(); ++i) axes.push_back(int64_t(i));
  return axes;
}

std::optional<Patch> sink_through_slice_node(const Graph& graph, const Node& node, ValueId source, int rank) {
  auto axes = slice_axes(graph, node);
  if (!axes || node.spec.opset < 10) return std::nullopt;
  for (int64_t& axis : *axes) axis = channels_last_axis(normalize_axis(axis, rank), rank);
  Patch patch(graph);
  std::vector<ValueId> inputs = node.inputs;
  inputs.resize(std::max<size_t>(inputs.size(), 4), kNoValue);
  inputs[0] = source;
  inputs[3] = patch.constant(node.spec.name + ".axes", Tensor::of(*axes));
  for (const int i : {1, 2, 4}) {
    const Tensor* ints = graph.constant_input(node, i);
    if (ints) inputs[size_t(i)] = patch.constant(node.spec.name, Tensor::of(tensor_ints(*ints)));
  }
  return on_channels_last(graph, node, node.spec, inputs, std::move(patch));
}

std::optional<Patch> sink_through_split(const Graph& graph, const Node& node, ValueId source, int rank) {
  NodeSpec spec = node.spec;
  const int axis = normalize_axis(spec.attr_or("axis", 0), rank);
  spec.attributes["axis"] = int64_t{channels_last_axis(axis, rank)};
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = source;
  return on_channels_last(graph, node, spec, inputs, Patch(graph));
}

std::optional<Patch> sink_through_pad(const Graph& graph, const Node& node, ValueId source, int rank) {
  const auto pads = constant_ints(graph.input_fact(node, 1));
  if (node.spec.opset < 11 || !pads || int(pads->size()) != 2 * rank || node.inputs.size() > 3) return std::nullopt;
  std::vector<int64_t> moved(pads->size());
  for (int axis = 0; axis < rank; ++axis) {
    const int to = channels_last_axis(axis, rank);
    moved[size_t(to)] = (*pads)[size_t(axis)];
    moved[size_t(to + rank)] = (*pads)[size_t(axis + rank)];
  }
  Patch patch(graph);
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = source;
  inputs[1] = patch.constant(node.spec.name + ".pads", Tensor::of(moved));
  return on_channels_last(graph, node, node.spec, inputs, std::move(patch));
}

}  // namespace

// Slice, Split and Pad, whose axes move with the layout.
std::optional<Patch> sink_through_slice(const Graph& graph, const Node& node) {
  const ValueId source = channels_last_source(graph, node, 0);
  if (source == kNoValue) return std::nullopt;
  const int rank = graph.input_fact(node, 0).rank();
  for (const ValueId output : node.outputs) {
    if (output != kNoValue && !graph.fact(output).has_rank()) return std::nullopt;
  }
  if (is_op(node, "Slice")) return sink_through_slice_node(graph, node, source, rank);
  if (is_op(node, "Split")) return sink_through_split(graph, node, source, rank);
  if (is_op(node, "Pad")) return sink_through_pad(graph, node, source, rank);
  return std::nullopt;
}

}  // namespace linnet
