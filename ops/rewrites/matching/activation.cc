#include "rewrites/matching/activation.h"

#include "rewrites/matching/clip_bounds.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

std::optional<NamedActivation> clip_activation(const Graph& graph, const Node& node) {
  const auto bounds = clip_bounds(graph, node);
  if (!bounds || bounds->low > bounds->high) return std::nullopt;
  return NamedActivation{"Clip", bounds->low, bounds->high};
}

}  // namespace

std::optional<NamedActivation> activation_of(const Graph& graph, const Node& node) {
  const NodeSpec& spec = node.spec;
  if (!spec.domain.empty()) return std::nullopt;
  if (spec.op_type == "Clip") return clip_activation(graph, node);
  if (spec.op_type == "LeakyRelu") return NamedActivation{"LeakyRelu", spec.attr_or("alpha", 0.01f)};
  if (spec.op_type == "PRelu") {
    const auto slope = scalar_input(graph, node, 1);
    return slope ? std::optional(NamedActivation{"LeakyRelu", *slope}) : std::nullopt;
  }
  if (spec.op_type == "Elu") return NamedActivation{"Elu", spec.attr_or("alpha", 1.f)};
  if (spec.op_type == "Swish") return NamedActivation{"Swish", spec.attr_or("alpha", 1.f)};
  if (spec.op_type == "HardSigmoid") {
    return NamedActivation{"HardSigmoid", spec.attr_or("alpha", 0.2f), spec.attr_or("beta", 0.5f)};
  }
  if (spec.op_type == "Gelu")
    return NamedActivation{spec.attr_or("approximate", "none") == "tanh" ? "GeluTanh" : "Gelu"};
  for (const char* plain : {"Relu", "Sigmoid", "HardSwish", "Tanh", "Mish", "Softplus"}) {
    if (spec.op_type == plain) return NamedActivation{plain};
  }
  return std::nullopt;
}

}  // namespace linnet
