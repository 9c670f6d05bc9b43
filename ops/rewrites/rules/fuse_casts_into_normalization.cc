#include "rewrites/define_rewrite.h"
#include "rewrites/matching/half_link.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// The Cast to float32 whose result only the normalisation reads; nullptr if there is none.
const Node* cast_before(const Graph& graph, const Node& node) {
  const Node* cast = producer(graph, node, 0, "Cast");
  return cast && graph.only_consumer(node.inputs[0]) == &node && !half_link(graph, *cast).empty() ? cast : nullptr;
}

/// The Cast to 16 bits that alone reads the result; nullptr if there is none.
const Node* cast_after(const Graph& graph, const Node& node) {
  const Node* cast = graph.only_consumer(node.outputs[0]);
  return cast && !half_link(graph, *cast).empty() ? cast : nullptr;
}

}  // namespace

// Cast(normalisation(Cast(x))) -> linnet::normalisation(x), with one or both Casts between 16 bits and float32, so that
// rows are converted in the cache.
LINNET_DEFINE_REWRITE(fuse_casts_into_normalization, "LayerNormalization", "RMSNormalization")
(const Graph& graph, const Node& node) {
  if (graph.input_fact(node, 1).dtype != DType::kFloat32) return std::nullopt;
  const Node *before = cast_before(graph, node), *after = cast_after(graph, node);
  if (!before && !after) return std::nullopt;
  const ValueId result = after ? after->outputs[0] : node.outputs[0];
  NodeSpec spec = internal_spec(node, node.spec.op_type);
  spec.attributes["to"] = int64_t(graph.fact(result).dtype);
  std::vector<ValueId> inputs = node.inputs;
  if (before) inputs[0] = before->inputs[0];
  Patch patch(graph);
  const std::vector<ValueId> outputs = patch.add_for(node, spec, inputs);
  patch.replace(result, outputs[0]);
  for (size_t i = 1; i < outputs.size(); ++i) {
    if (outputs[i] != kNoValue) patch.replace(node.outputs[i], outputs[i]);
  }
  return patch;
}

}  // namespace linnet
