#include <algorithm>

#include "elementwise/elementwise_chain.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/activation.h"
#include "rewrites/matching/half_link.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantization_grid.h"

namespace linnet {
namespace {

/// A chain and the values that it reads.
struct FusedNodes {
  std::vector<ValueId> inputs;
  ElementwiseChain chain;

  int64_t operand_of(ValueId input) {
    const auto found = std::find(inputs.begin(), inputs.end(), input);
    if (found == inputs.end()) inputs.push_back(input);
    return std::find(inputs.begin(), inputs.end(), input) - inputs.begin();
  }
};

std::string_view byte_link(const Node& node, DType dtype) {
  if (is_op(node, "DequantizeLinear")) return kDequantizeLink;
  return dtype == DType::kUint8 ? kQuantizeUint8Link : kQuantizeInt8Link;
}

std::optional<ElementwiseChain> one_link(const Graph& graph, const Node& node) {
  ElementwiseChain result;
  const std::string& op = node.spec.op_type;
  if (!node.spec.domain.empty()) return std::nullopt;
  if (binary_function(op)) {
    if (node.spec.opset < 7 || node.inputs.size() != 2 || node.inputs[0] == node.inputs[1]) return std::nullopt;
    result.links.push_back({op, 0, 1});
  } else if (const std::string_view conversion = half_link(graph, node); !conversion.empty()) {
    result.links.push_back({std::string(conversion), 0});
  } else if (const auto grid = byte_grid(graph, node)) {
    result.links.push_back({std::string(byte_link(node, grid->dtype)), 0, -1, grid->scale, grid->zero_point});
  } else if (const auto activation = activation_of(graph, node)) {
    result.links.push_back({std::string(activation->function->name), 0, -1, activation->alpha, activation->beta});
  }
  if (result.links.empty()) return std::nullopt;
  result.inputs = result.links[0].second < 0 ? 1 : 2;
  return result;
}

/// A node as a chain: an operator that a chain can contain, or an existing chain. nullopt while dims are open, because
/// plans in which they are known may match other patterns.
std::optional<FusedNodes> chain_of(const Graph& graph, const Node& node) {
  const Fact& result = graph.fact(node.outputs[0]);
  const bool fused = is_op(node, "Elementwise", kInternalDomain);
  const bool known = fused || byte_grid(graph, node) || !half_link(graph, node).empty();
  if (!result.concrete() || (result.dtype != DType::kFloat32 && !known)) return std::nullopt;
  const auto chain =
      fused ? std::optional(ElementwiseChain(node.spec, int64_t(node.inputs.size()))) : one_link(graph, node);
  if (!chain) return std::nullopt;
  return FusedNodes{{node.inputs.begin(), node.inputs.begin() + chain->inputs}, *chain};
}

/// Appends the links of `part` to `all`; operands that are the value `between` become the last link that `all` had
/// before.
void append(const FusedNodes& part, ValueId between, FusedNodes& all, int64_t inputs) {
  const auto links = int64_t(all.chain.links.size());
  const auto renumbered = [&](int64_t operand) -> int64_t {
    if (operand < 0) return operand;
    if (operand >= part.chain.inputs) return inputs + links + (operand - part.chain.inputs);
    const ValueId input = part.inputs[size_t(operand)];
    return input == between ? inputs + links - 1 : all.operand_of(input);
  };
  for (ElementwiseChain::Link link : part.chain.links) {
    link.first = renumbered(link.first);
    link.second = renumbered(link.second);
    all.chain.links.push_back(link);
  }
}

/// Joins two chains into one, where `second` reads the result `between` of `first`, and other inputs.
FusedNodes joined(const FusedNodes& first, const FusedNodes& second, ValueId between) {
  FusedNodes result;
  for (const FusedNodes* part : {&first, &second}) {
    for (const ValueId input : part->inputs) {
      if (part == &first || input != between) result.operand_of(input);
    }
  }
  result.chain.inputs = int64_t(result.inputs.size());
  append(first, kNoValue, result, result.chain.inputs);
  append(second, between, result, result.chain.inputs);
  return result;
}

/// The number of inputs that are not constants of one element.
int64_t varying_inputs(const Graph& graph, const FusedNodes& nodes) {
  return std::ranges::count_if(nodes.inputs, [&](ValueId input) {
    const Tensor& constant = graph.fact(input).constant;
    return !constant || constant.size() != 1;
  });
}

/// Whether the node may be computed together with the producer of this input, without writing the input to memory.
bool may_follow(const Graph& graph, const Node& node, ValueId between) {
  const Node* before = graph.producer(between);
  const bool is_free = before && (graph.only_consumer(between) == &node || is_op(*before, "DequantizeLinear"));
  return is_free && same_dims(graph.fact(between), graph.fact(node.outputs[0]));
}

/// Whether several nodes read this DequantizeLinear, so that each of them may include it and read bytes.
bool is_read_as_bytes(const Graph& graph, const Node& node) {
  return is_op(node, "DequantizeLinear") && graph.consumers(node.outputs[0]).size() > 1;
}

}  // namespace

// f(g(x), y) -> Elementwise(x, y) for element-wise f and g, if the results of f and g have equal shapes. Such functions
// include quantisation and dequantisation by constants, and Casts between float32 and 16-bit floats. A DequantizeLinear
// may be repeated for each of its readers.
LINNET_DEFINE_REWRITE(fuse_elementwise)(const Graph& graph, const Node& node) {
  const auto follows = [&](ValueId between) { return may_follow(graph, node, between); };
  if (std::ranges::none_of(node.inputs, follows)) return std::nullopt;
  const auto second = chain_of(graph, node);
  if (!second || is_read_as_bytes(graph, node)) return std::nullopt;
  for (const ValueId between : second->inputs) {
    const auto first = follows(between) ? chain_of(graph, *graph.producer(between)) : std::nullopt;
    if (!first) continue;
    const FusedNodes fused = joined(*first, *second, between);
    // On bytes, a function of one input is a table, and one of two often has a kernel: faster than a chain in floats.
    if (graph.fact(between).dtype != DType::kFloat32 && varying_inputs(graph, fused) > 1) continue;
    if (fused.chain.inputs > kMostChainInputs || int64_t(fused.chain.links.size()) > kMostChainLinks) continue;
    NodeSpec spec = internal_spec(node, "Elementwise");
    fused.chain.write(spec);
    Patch patch(graph);
    patch.replace(node.outputs[0], patch.add(spec, fused.inputs));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
