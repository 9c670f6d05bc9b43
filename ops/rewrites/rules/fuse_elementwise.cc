#include <algorithm>

#include "elementwise/elementwise_steps.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/activation.h"
#include "rewrites/matching/half_step.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantization_grid.h"

namespace linnet {
namespace {

struct Chain {
  std::vector<ValueId> inputs;
  ElementwiseSteps steps;

  int64_t operand_of(ValueId input) {
    const auto found = std::find(inputs.begin(), inputs.end(), input);
    if (found == inputs.end()) inputs.push_back(input);
    return std::find(inputs.begin(), inputs.end(), input) - inputs.begin();
  }
};

std::string_view step_of(const Node& node, DType dtype) {
  if (is_op(node, "DequantizeLinear")) return kDequantizeStep;
  return dtype == DType::kUint8 ? kQuantizeUint8Step : kQuantizeInt8Step;
}

std::optional<ElementwiseSteps> one_step(const Graph& graph, const Node& node) {
  ElementwiseSteps result;
  const std::string& op = node.spec.op_type;
  if (!node.spec.domain.empty()) return std::nullopt;
  if (binary_function(op)) {
    if (node.spec.opset < 7 || node.inputs.size() != 2 || node.inputs[0] == node.inputs[1]) return std::nullopt;
    result.steps.push_back({op, 0, 1});
  } else if (const std::string_view conversion = half_step(graph, node); !conversion.empty()) {
    result.steps.push_back({std::string(conversion), 0});
  } else if (const auto grid = byte_grid(graph, node)) {
    result.steps.push_back({std::string(step_of(node, grid->dtype)), 0, -1, grid->scale, grid->zero_point});
  } else if (const auto activation = activation_of(graph, node)) {
    result.steps.push_back({std::string(activation->function->name), 0, -1, activation->alpha, activation->beta});
  }
  if (result.steps.empty()) return std::nullopt;
  result.inputs = result.steps[0].second < 0 ? 1 : 2;
  return result;
}

/// A node as a chain: one of the operators that a chain can hold, or a chain already. Where dims are open, plans that
/// know them may still find other operators in it.
std::optional<Chain> chain_of(const Graph& graph, const Node& node) {
  const Fact& result = graph.fact(node.outputs[0]);
  const bool chain = is_op(node, "Elementwise", kInternalDomain);
  const bool known = chain || byte_grid(graph, node) || !half_step(graph, node).empty();
  if ((!result.concrete() && !graph.finished()) || (result.dtype != DType::kFloat32 && !known)) return std::nullopt;
  const auto steps =
      chain ? std::optional(ElementwiseSteps(node.spec, int64_t(node.inputs.size()))) : one_step(graph, node);
  if (!steps) return std::nullopt;
  return Chain{{node.inputs.begin(), node.inputs.begin() + steps->inputs}, *steps};
}

/// Adds the steps of `chain` to `all`; inputs that are `between` become the last step that `all` had before.
void append(const Chain& chain, ValueId between, Chain& all, int64_t inputs) {
  const auto steps = int64_t(all.steps.steps.size());
  const auto renumbered = [&](int64_t operand) -> int64_t {
    if (operand < 0) return operand;
    if (operand >= chain.steps.inputs) return inputs + steps + (operand - chain.steps.inputs);
    const ValueId input = chain.inputs[size_t(operand)];
    return input == between ? inputs + steps - 1 : all.operand_of(input);
  };
  for (ElementwiseSteps::Step step : chain.steps.steps) {
    step.first = renumbered(step.first);
    step.second = renumbered(step.second);
    all.steps.steps.push_back(step);
  }
}

/// One chain that computes `first` and, from its result `between` and other inputs, `second`.
Chain joined(const Chain& first, const Chain& second, ValueId between) {
  Chain result;
  for (const Chain* chain : {&first, &second}) {
    for (const ValueId input : chain->inputs) {
      if (chain == &first || input != between) result.operand_of(input);
    }
  }
  result.steps.inputs = int64_t(result.inputs.size());
  append(first, kNoValue, result, result.steps.inputs);
  append(second, between, result, result.steps.inputs);
  return result;
}

/// How many inputs are not constants of one element.
int64_t varying_inputs(const Graph& graph, const Chain& chain) {
  return std::ranges::count_if(chain.inputs, [&](ValueId input) {
    const Tensor& constant = graph.fact(input).constant;
    return !constant || constant.size() != 1;
  });
}

/// Whether several nodes may each begin with this one, so that all of them read bytes.
bool is_read_as_bytes(const Graph& graph, const Node& node) {
  return is_op(node, "DequantizeLinear") && graph.consumers(node.outputs[0]).size() > 1;
}

}  // namespace

// f(g(x), y) -> Elementwise(x, y), for element-wise f and g, where the result of g has the shape of that of f.
// Quantising and dequantising by constants are such functions, and Casts between float32 and halves. What dequantises
// may do it again for each of its readers.
LINNET_DEFINE_REWRITE(fuse_elementwise)(const Graph& graph, const Node& node) {
  const auto second = chain_of(graph, node);
  if (!second || is_read_as_bytes(graph, node)) return std::nullopt;
  for (const ValueId between : second->inputs) {
    const Node* before = graph.producer(between);
    if (!before || (graph.only_consumer(between) != &node && !is_op(*before, "DequantizeLinear"))) continue;
    if (!same_dims(graph.fact(between), graph.fact(node.outputs[0]))) continue;
    const auto first = chain_of(graph, *before);
    if (!first) continue;
    const Chain chain = joined(*first, *second, between);
    // On bytes a function of one input is a table, one of two often has a kernel: faster than steps in floats.
    if (graph.fact(between).dtype != DType::kFloat32 && varying_inputs(graph, chain) > 1) continue;
    if (chain.steps.inputs > kMostChainInputs || int64_t(chain.steps.steps.size()) > kMostChainSteps) continue;
    NodeSpec spec = internal_spec(node, "Elementwise");
    chain.steps.write(spec);
    Patch patch(graph);
    patch.replace(node.outputs[0], patch.add(spec, chain.inputs));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
