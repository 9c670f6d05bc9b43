#include <algorithm>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/pad_amounts.h"

namespace linnet {
namespace {

// Whether a node is a Dropout outside of training, or with a ratio of 0, whose mask is unused.
bool is_unread_dropout(const Graph& graph, const Node& node) {
  return is_op(node, "Dropout") && (node.inputs.size() == 1 || scalar_input(graph, node, 1) == 0.0f) &&
         (node.outputs.size() == 1 || node.outputs[1] == kNoValue ||
          (graph.consumers(node.outputs[1]).empty() && !graph.is_output(node.outputs[1])));
}

bool pads_nothing(const Graph& graph, const Node& node) {
  const auto pads = is_op(node, "Pad") ? pad_amounts(graph, node) : std::nullopt;
  return pads && std::all_of(pads->begin(), pads->end(), [](int64_t pad) { return pad == 0; });
}

// Whether a node is a Reshape or Expand to the same shape, or a Cast to the same dtype.
bool keeps_all(const Graph& graph, const Node& node) {
  const bool may = is_op(node, "Reshape") || is_op(node, "Expand") || is_op(node, "Cast");
  const Fact &x = graph.input_fact(node, 0), &y = graph.fact(node.outputs[0]);
  return may && x.dtype == y.dtype && same_dims(x, y);
}

bool joins_one(const Node& node) {
  return node.inputs.size() == 1 && (is_op(node, "Concat") || is_op(node, "Max") || is_op(node, "Mean") ||
                                     is_op(node, "Min") || is_op(node, "Sum"));
}

}  // namespace

// Identity(x) -> x. The same applies to
// - a Dropout whose mask is unused,
// - a Pad that adds nothing,
// - a Reshape, Expand or Cast that changes neither shape nor dtype,
// - a Concat, Max, Mean, Min or Sum of a single input.
LINNET_DEFINE_REWRITE(drop_identity)(const Graph& graph, const Node& node) {
  const bool dropout = is_unread_dropout(graph, node);
  if (!dropout && !is_op(node, "Identity") && !joins_one(node) && !pads_nothing(graph, node) && !keeps_all(graph, node))
    return std::nullopt;
  if (!dropout && graph.is_output(node.outputs[0])) return std::nullopt;
  Patch patch(graph);
  patch.replace(node.outputs[0], node.inputs[0]);
  return patch;
}

}  // namespace linnet
