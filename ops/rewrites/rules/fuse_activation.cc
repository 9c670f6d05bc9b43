#include "rewrites/define_rewrite.h"
#include "rewrites/matching/activation.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/product.h"

namespace linnet {

// Relu(linnet::Conv(x)) -> linnet::Conv(x, activation=Relu). DeformConv, MatMul and Gemm, and other functions with a
// kernel likewise.
LINNET_DEFINE_REWRITE(fuse_activation)(const Graph& graph, const Node& node) {
  if (node.inputs.empty()) return std::nullopt;
  const Node* product = product_before(graph, node, 0);
  const auto activation = product ? activation_of(graph, node) : std::nullopt;
  if (!activation) return std::nullopt;
  NodeSpec spec = internal_spec(*product, product->spec.op_type);
  spec.attributes["activation"] = std::string(activation->function->name);
  spec.attributes["activation_alpha"] = activation->alpha;
  spec.attributes["activation_beta"] = activation->beta;
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, product->inputs));
  return patch;
}

}  // namespace linnet
