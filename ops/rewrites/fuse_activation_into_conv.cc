#include <limits>

#include "rewrites/match.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

struct FusedActivation {
  const char* name;
  float alpha = 0, beta = 0;
};

// A bound of Clip: attribute before opset 11, constant input since; nullopt when it is not known.
std::optional<float> clip_bound(const Graph& graph, const Node& node, int input, const char* attribute, float absent) {
  if (node.spec.opset < 11) return node.spec.attr_or(attribute, absent);
  if (!graph.input_fact(node, input).present()) return absent;
  return scalar_input(graph, node, input);
}

std::optional<FusedActivation> clip_activation(const Graph& graph, const Node& node) {
  const auto low = clip_bound(graph, node, 1, "min", -std::numeric_limits<float>::infinity());
  const auto high = clip_bound(graph, node, 2, "max", std::numeric_limits<float>::infinity());
  if (!low || !high || *low > *high) return std::nullopt;
  return FusedActivation{"Clip", *low, *high};
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

// Relu(linnet::Conv(x)) -> linnet::Conv(x, activation=Relu); likewise the other activations of an epilogue.
std::optional<Patch> fuse_activation_into_conv(const Graph& graph, const Node& node) {
  const Node* conv = producer(graph, node, 0, "Conv", kInternalDomain);
  if (!conv || !conv->spec.attr_or("activation", "").empty()) return std::nullopt;
  if (graph.only_consumer(conv->outputs[0]) != &node) return std::nullopt;
  const auto activation = activation_of(graph, node);
  if (!activation) return std::nullopt;
  NodeSpec spec = conv->spec;
  spec.attributes["activation"] = std::string(activation->name);
  spec.attributes["activation_alpha"] = activation->alpha;
  spec.attributes["activation_beta"] = activation->beta;
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, conv->inputs));
  return patch;
}

}  // namespace linnet
