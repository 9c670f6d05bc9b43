#include "rewrites/clip_bounds.h"
#include "rewrites/match.h"
#include "rewrites/product.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

struct FusedActivation {
  const char* name;
  float alpha = 0, beta = 0;
};

std::optional<FusedActivation> clip_activation(const Graph& graph, const Node& node) {
  const auto bounds = clip_bounds(graph, node);
  if (!bounds || bounds->low > bounds->high) return std::nullopt;
  return FusedActivation{"Clip", bounds->low, bounds->high};
}

std::optional<FusedActivation> activation_of(const Graph& graph, const Node& node) {
  const NodeSpec& spec = node.spec;
  if (!spec.domain.empty()) return std::nullopt;
  if (spec.op_type == "Clip") return clip_activation(graph, node);
  if (spec.op_type == "LeakyRelu") return FusedActivation{"LeakyRelu", spec.attr_or("alpha", 0.01f)};
  if (spec.op_type == "Elu") return FusedActivation{"Elu", spec.attr_or("alpha", 1.f)};
  if (spec.op_type == "Swish") return FusedActivation{"Swish", spec.attr_or("alpha", 1.f)};
  if (spec.op_type == "HardSigmoid") {
    return FusedActivation{"HardSigmoid", spec.attr_or("alpha", 0.2f), spec.attr_or("beta", 0.5f)};
  }
  if (spec.op_type == "Gelu")
    return FusedActivation{spec.attr_or("approximate", "none") == "tanh" ? "GeluTanh" : "Gelu"};
  for (const char* plain : {"Relu", "Sigmoid", "HardSwish", "Tanh", "Mish", "Softplus"}) {
    if (spec.op_type == plain) return FusedActivation{plain};
  }
  return std::nullopt;
}

}  // namespace

// Relu(linnet::Conv(x)) -> linnet::Conv(x, activation=Relu); likewise MatMul and Gemm, and the other activations of an
// epilogue.
std::optional<Patch> fuse_activation(const Graph& graph, const Node& node) {
  if (node.inputs.empty()) return std::nullopt;
  const Node* product = product_before(graph, node, 0);
  const auto activation = product ? activation_of(graph, node) : std::nullopt;
  if (!activation) return std::nullopt;
  NodeSpec spec = internal_spec(*product, product->spec.op_type);
  spec.attributes["activation"] = std::string(activation->name);
  spec.attributes["activation_alpha"] = activation->alpha;
  spec.attributes["activation_beta"] = activation->beta;
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, product->inputs));
  return patch;
}

}  // namespace linnet
