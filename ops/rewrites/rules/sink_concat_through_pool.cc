#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/pointwise.h"

namespace linnet {

// MaxPool(concat(x...)) -> concat(MaxPool(x)...), channels-last, if only a pointwise convolution reads the result: it
// reads the parts without concatenation.
LINNET_DEFINE_REWRITE(sink_concat_through_pool, internal_op("MaxPool"))(const Graph& graph, const Node& node) {
  if (node.outputs.size() != 1) return std::nullopt;
  const Node* concat = producer(graph, node, 0, "Concat");
  if (!concat || graph.only_consumer(node.inputs[0]) != &node || !concatenates_channels(graph, *concat)) {
    return std::nullopt;
  }
  const Node* reader = graph.only_consumer(node.outputs[0]);
  if (!reader || !is_pointwise_conv(graph, *reader)) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> parts;
  for (const ValueId part : concat->inputs) parts.push_back(patch.add(node.spec, {part}));
  patch.replace(node.outputs[0], patch.add(concat->spec, parts));
  return patch;
}

}  // namespace linnet
