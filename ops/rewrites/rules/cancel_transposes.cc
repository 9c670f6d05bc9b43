#include <algorithm>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

bool is_identity(const std::vector<int64_t>& perm) { return std::is_sorted(perm.begin(), perm.end()); }

}  // namespace

// Transpose(Transpose(x, p), q) -> Transpose(x, p then q), or x if they cancel.
LINNET_DEFINE_REWRITE(cancel_transposes, "Transpose")(const Graph& graph, const Node& node) {
  const auto* outer = node.spec.find<std::vector<int64_t>>("perm");
  if (!outer) return std::nullopt;
  if (is_identity(*outer) && !graph.is_output(node.outputs[0])) {
    Patch patch(graph);
    patch.replace(node.outputs[0], node.inputs[0]);
    return patch;
  }
  const Node* before = producer(graph, node, 0, "Transpose");
  const auto* inner = before ? before->spec.find<std::vector<int64_t>>("perm") : nullptr;
  if (!inner) return std::nullopt;
  std::vector<int64_t> perm;
  for (const int64_t axis : *outer) perm.push_back((*inner)[size_t(axis)]);
  Patch patch(graph);
  if (is_identity(perm)) {
    patch.replace(node.outputs[0], before->inputs[0]);
    return patch;
  }
  NodeSpec spec = node.spec;
  spec.attributes["perm"] = perm;
  patch.replace(node.outputs[0], patch.add(spec, before->inputs));
  return patch;
}

}  // namespace linnet
