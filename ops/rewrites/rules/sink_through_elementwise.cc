#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/sink_transpose.h"

namespace linnet {
namespace {

// Reshapes a constant of lower rank to the full rank, and transposes it to channels-last.
ValueId constant_to_channels_last(Patch& patch, const Node& node, const Tensor& constant, int rank) {
  Shape shape;
  for (int i = constant.rank(); i < rank; ++i) shape.push_back(1);
  for (const int64_t dim : constant.shape()) shape.push_back(dim);
  const ValueId value = patch.constant(node.spec.name + ".constant", constant.reshaped(shape));
  return add_to_channels_last(patch, node, value, rank);
}

// An operand in channels-last; kNoValue if that is not possible.
ValueId operand(const Graph& graph, Patch& patch, const Node& node, int input, int rank) {
  const ValueId value = node.inputs[size_t(input)];
  const Fact& fact = graph.input_fact(node, input);
  if (!fact.present()) return kNoValue;
  if (const ValueId source = channels_last_source(graph, node, input); source != kNoValue) {
    return fact.rank() == rank ? source : kNoValue;
  }
  if (fact.constant && fact.constant.size() == 1 && fact.constant.rank() <= rank) {
    return patch.constant(graph.value(value).name, fact.constant.reshaped({}));
  }
  if (fact.constant && fact.rank() <= rank) return constant_to_channels_last(patch, node, fact.constant, rank);
  // At rank 3, the new Transpose would be mistaken for one to channels-first, and would sink as well.
  if (fact.has_rank() && fact.rank() == rank && rank > 3) return add_to_channels_last(patch, node, value, rank);
  return kNoValue;
}

/// Whether some channels-last operand has as many elements as the result. A smaller one, such as a bias of scores, is
/// cheaper to transpose than the value that it is added to.
bool has_whole_operand(const Graph& graph, const Node& node) {
  for (int i = 0; i < int(node.inputs.size()); ++i) {
    if (channels_last_source(graph, node, i) == kNoValue) continue;
    if (same_dims(graph.input_fact(node, i), graph.fact(node.outputs[0]))) return true;
  }
  return false;
}

}  // namespace

// Element-wise operators with all operands channels-last.
std::optional<Patch> sink_through_elementwise(const Graph& graph, const Node& node) {
  if (!node.op->is_elementwise()) return std::nullopt;
  const Fact& out = graph.fact(node.outputs[0]);
  if (!out.has_rank() || out.rank() < 3 || !has_whole_operand(graph, node)) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs;
  for (int i = 0; i < int(node.inputs.size()); ++i) {
    const bool omitted = node.inputs[size_t(i)] == kNoValue;
    inputs.push_back(omitted ? kNoValue : operand(graph, patch, node, i, out.rank()));
    if (!omitted && inputs.back() == kNoValue) return std::nullopt;
  }
  return on_channels_last(graph, node, node.spec, inputs, std::move(patch));
}

}  // namespace linnet
