#include <algorithm>
#include <map>
#include <set>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/movement.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

constexpr float kShift = 128;

bool is_signed_grid(const Graph& graph, const Node& node) {
  const auto grid = byte_grid(graph, node);
  return grid && grid->dtype == DType::kInt8;
}

/// The inputs whose bytes an operator with one output moves or selects. It depends at most on the order of the bytes,
/// which is the order of their values in both dtypes.
std::vector<size_t> passed_inputs(const Node& node) {
  if (node.outputs.size() != 1) return {};
  return is_op(node, "MaxPool") ? std::vector<size_t>{0} : moved_inputs(node);
}

/// The int8 values that are connected with a QuantizeLinear by operators that move bytes, and the nodes around them.
class SignedRegion {
 public:
  explicit SignedRegion(const Graph& graph) : graph_(graph) {}

  /// Adds a value and all values connected with it; returns false if another kind of node writes or reads one of them.
  bool grow(ValueId value) {
    if (!values_.insert(value).second) return true;
    if (graph_.is_output(value) || !grow_before(graph_.producer(value))) return false;
    return std::ranges::all_of(graph_.consumers(value), [&](NodeId id) { return grow_behind(graph_.node(id), value); });
  }

  /// A patch that computes the same values in uint8.
  Patch unsigned_patch() const {
    Patch patch(graph_);
    std::map<ValueId, ValueId> bytes;
    for (const NodeId id : graph_.nodes()) {
      if (nodes_.contains(id)) add(graph_.node(id), bytes, patch);
    }
    return patch;
  }

 private:
  bool grow_before(const Node* node) {
    if (!node) return false;
    nodes_.insert(node->id);
    if (is_op(*node, "QuantizeLinear")) return is_signed_grid(graph_, *node);
    const std::vector<size_t> passed = passed_inputs(*node);
    return !passed.empty() && std::ranges::all_of(passed, [&](size_t input) { return grow(node->inputs[input]); });
  }
  bool grow_behind(const Node& node, ValueId value) {
    nodes_.insert(node.id);
    if (is_op(node, "DequantizeLinear")) return is_signed_grid(graph_, node) && !node.spec.has("output_dtype");
    const auto passes = [&](size_t input) { return node.inputs[input] == value; };
    return std::ranges::count_if(passed_inputs(node), passes) == std::ranges::count(node.inputs, value) &&
           grow(node.outputs[0]);
  }

  void add(const Node& node, std::map<ValueId, ValueId>& bytes, Patch& patch) const {
    const bool quantizes = is_op(node, "QuantizeLinear"), dequantizes = is_op(node, "DequantizeLinear");
    NodeSpec spec = node.spec;
    std::vector<ValueId> inputs = node.inputs;
    for (ValueId& input : inputs) {
      if (values_.contains(input)) input = bytes.at(input);
    }
    if (quantizes || dequantizes) {
      spec.attributes.erase("output_dtype");
      inputs.resize(2);
      const auto zero = uint8_t(byte_grid(graph_, node)->zero_point + kShift);
      inputs.push_back(patch.constant(spec.name + ".zero_point", Tensor::scalar(zero)));
    }
    const ValueId y = patch.add(spec, inputs);
    dequantizes ? patch.replace(node.outputs[0], y) : void(bytes[node.outputs[0]] = y);
  }

  const Graph& graph_;
  std::set<ValueId> values_;
  std::set<NodeId> nodes_;
};

}  // namespace

// DequantizeLinear(QuantizeLinear(x)) of int8 -> the same of uint8, with zero points larger by 128, because products
// multiply unsigned by signed bytes. Operators that move bytes may be between them, connected to further QuantizeLinear
// and DequantizeLinear nodes, each with one scale and zero point. No other nodes may read the bytes.
LINNET_DEFINE_REWRITE(quantize_unsigned, "QuantizeLinear")(const Graph& graph, const Node& node) {
  if (!is_signed_grid(graph, node)) return std::nullopt;
  SignedRegion region(graph);
  return region.grow(node.outputs[0]) ? std::optional(region.unsigned_patch()) : std::nullopt;
}

}  // namespace linnet
