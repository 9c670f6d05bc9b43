#include "rewrites/matching/state_writer.h"

#include <algorithm>

#include "attention/attention_scores.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

using Slots = AttentionSlots;

bool is_zero(const Tensor& x) {
  return x.dtype() == DType::kInt64 &&
         std::ranges::all_of(x.values<int64_t>(), [](int64_t value) { return value == 0; });
}

/// True for amounts that are zeros but for one, which is not negative, at a place.
bool pads_at_only(const Tensor& amounts, int64_t place) {
  const std::span<const int64_t> values = amounts.values<int64_t>();
  for (int64_t i = 0; i < std::ssize(values); ++i) {
    if (i == place ? values[size_t(i)] < 0 : values[size_t(i)] != 0) return false;
  }
  return place < std::ssize(values);
}

/// True for amounts of Pad that are zeros but for one behind `axis`, constant or joined from parts.
bool pads_behind_only(const Graph& graph, const Node& pad, int rank, int axis) {
  if (const Tensor* known = graph.constant_input(pad, 1)) {
    return pad.inputs.size() == 2 && known->dtype() == DType::kInt64 && pads_at_only(*known, rank + axis);
  }
  const Node* amounts = producer(graph, pad, 1, "Concat");
  if (!amounts || pad.inputs.size() > 2) return false;
  int64_t at = 0;
  for (size_t i = 0; i < amounts->inputs.size(); ++i) {
    const Fact& part = graph.fact(amounts->inputs[i]);
    if (!part.concrete() || part.rank() != 1) return false;
    const bool amount = part.dim(0).value() == 1 && at == rank + axis;
    if (!amount && (!part.constant || !is_zero(part.constant))) return false;
    at += part.dim(0).value();
  }
  return at == rank + rank;
}

bool is_on_axis(const Node& node, const GrowingState& state, int rank, int64_t otherwise) {
  return normalize_axis(node.spec.attr_or("axis", otherwise), rank) == state.axis;
}

/// The shapes that are asked for among the readers of a value; nullopt where others than `reader` read it.
std::optional<std::vector<const Node*>> shapes_of(const Graph& graph, ValueId value, const Node& reader) {
  std::vector<const Node*> shapes;
  for (const NodeId id : graph.consumers(value)) {
    if (id == reader.id) continue;
    if (!is_op(graph.node(id), "Shape")) return std::nullopt;
    shapes.push_back(&graph.node(id));
  }
  return shapes;
}

ValueId with_heads(Patch& patch, const Graph& graph, const Node& attention, int input, int64_t heads) {
  const ValueId x = attention.inputs[size_t(input)];
  const Fact& fact = graph.fact(x);
  if (fact.rank() == 4) return x;
  const Dim size = fact.dim(2).known() ? Dim(fact.dim(2).value() / heads) : Dim();
  return add_transpose(patch, attention, add_reshape(patch, attention, x, Dims{fact.dim(0), fact.dim(1), heads, size}),
                       {0, 2, 1, 3});
}

}  // namespace

std::optional<StateWriter> state_writer(const Graph& graph, const GrowingState& state) {
  const ValueId value = graph.outputs()[state.output].value;
  const Node* node = graph.producer(value);
  const int rank = graph.fact(state.input).rank();
  if (!node || node->inputs.size() < 2) return std::nullopt;
  StateWriter writer{.node = node, .rows = node->inputs[1], .length = graph.fact(value).dim(state.axis)};
  const Node* reader = node;
  if (is_op(*node, "TensorScatter") && node->inputs.size() > 2 && is_on_axis(*node, state, rank, -2)) {
    reader = producer(graph, *node, 0, "Pad");
    if (!reader || !pads_behind_only(graph, *reader, rank, state.axis)) return std::nullopt;
    writer.begins = node->inputs[2];
  } else if (!is_op(*node, "Concat") || node->inputs.size() != 2 || !is_on_axis(*node, state, rank, 0)) {
    return std::nullopt;
  }
  if (reader->inputs[0] != state.input || writer.rows == state.input || !graph.fact(writer.rows).concrete() ||
      !shapes_of(graph, state.input, *reader)) {
    return std::nullopt;
  }
  for (const NodeId id : graph.consumers(value)) {
    if (is_op(graph.node(id), "Shape")) writer.shapes.push_back(&graph.node(id));
  }
  if (writer.begins != kNoValue && !writer.shapes.empty()) return std::nullopt;
  return writer;
}

std::optional<Patch> concat_past(const Graph& graph, const Node& attention, ValueId rows) {
  if (optional_input(attention, Slots::kPastKey) == kNoValue) return std::nullopt;
  if (attention.outputs.size() > Slots::kScores && attention.outputs[Slots::kScores] != kNoValue) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs = attention.inputs;
  inputs.resize(std::max<size_t>(inputs.size(), Slots::kQueryPositions + 1), kNoValue);
  const Fact& past = graph.fact(inputs[Slots::kPastKey]);
  if (!past.has_rank() || !past.dim(1).known()) return std::nullopt;
  for (const auto& [now, before] : {std::pair(Slots::kK, Slots::kPastKey), std::pair(Slots::kV, Slots::kPastValue)}) {
    NodeSpec spec = standard_spec(attention, "Concat", 13);
    spec.attributes = {{"axis", int64_t{2}}};
    const ValueId x = with_heads(patch, graph, attention, now, past.dim(1).value());
    inputs[size_t(now)] = patch.add(spec, {inputs[size_t(before)], x});
    inputs[size_t(before)] = kNoValue;
  }
  if (inputs[Slots::kQueryPositions] == kNoValue) inputs[Slots::kQueryPositions] = rows;
  NodeSpec spec = attention.spec;
  spec.domain = kInternalDomain;
  patch.replace(attention.outputs[Slots::kY], patch.add(spec, inputs));
  if (attention.outputs.size() > 1) patch.replace(attention.outputs[Slots::kPresentKey], inputs[Slots::kK]);
  if (attention.outputs.size() > 2) patch.replace(attention.outputs[Slots::kPresentValue], inputs[Slots::kV]);
  return patch;
}

}  // namespace linnet
