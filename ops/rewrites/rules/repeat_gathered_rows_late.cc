#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// The Gather of rows by an Expand that produces an input, if only this node reads its result; else nullptr.
const Node* repeated_rows(const Graph& graph, const Node& node, int input) {
  const Node* gather = producer(graph, node, input, "Gather");
  if (!gather || gather->spec.attr_or("axis", 0) != 0 || graph.is_output(gather->outputs[0])) return nullptr;
  const bool shared = graph.consumers(gather->outputs[0]).size() > 1;
  return !shared && producer(graph, *gather, 1, "Expand") ? gather : nullptr;
}

}  // namespace

// Add(x, Gather(rows, Expand(i))) -> Add(x, Gather(rows, i)) if x has the shape of the sum, because Add broadcasts. So
// embeddings of types or positions are gathered once per batch.
LINNET_DEFINE_REWRITE(repeat_gathered_rows_late, "Add")(const Graph& graph, const Node& node) {
  if (node.spec.opset < 7) return std::nullopt;
  for (const int input : {0, 1}) {
    const Node* gather = repeated_rows(graph, node, input);
    if (!gather || !same_dims(graph.input_fact(node, 1 - input), graph.fact(node.outputs[0]))) continue;
    const Node& expand = *graph.producer(gather->inputs[1]);
    Patch patch(graph);
    std::vector<ValueId> inputs = node.inputs;
    inputs[size_t(input)] = patch.add(gather->spec, {gather->inputs[0], expand.inputs[0]});
    patch.replace(node.outputs[0], patch.add(node.spec, std::move(inputs)));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
