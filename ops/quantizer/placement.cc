#include "quantizer/placement.h"

#include <algorithm>
#include <string_view>

#include "functions/function_table.h"
#include "rewrites/matching/activation.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/movement.h"

namespace linnet {
namespace {

// These operators compute means of elements, so their outputs have separate grids.
constexpr std::string_view kMeans[] = {"AveragePool", "GlobalAveragePool", "ReduceMean", "Resize"};

bool takes_means(const Node& node) { return node.spec.domain.empty() && std::ranges::count(kMeans, node.spec.op_type); }

/// Whether a chain of element-wise operators can compute the node's function from bytes to bytes.
bool is_byte_function(const Graph& graph, const Node& node) {
  return node.spec.domain.empty() && (activation_of(graph, node) || binary_function(node.spec.op_type));
}

/// The inputs whose elements the node outputs unchanged.
std::vector<size_t> passed_inputs(const Node& node) {
  if (takes_means(node)) return {};
  return is_op(node, "MaxPool") ? std::vector<size_t>{0} : moved_inputs(node);
}

bool is_float(const Graph& graph, ValueId value) {
  return graph.fact(value).dtype == DType::kFloat32 && !graph.fact(value).constant;
}

class Placer {
 public:
  Placer(const Graph& graph, const std::vector<Layer>& layers)
      : graph_(graph), reaches_layer_(size_t(graph.value_count()), false) {
    find_what_reaches(layers);
    for (const Layer& layer : layers) {
      const Node& node = graph.node(layer.node);
      place(node.inputs[0]);
      const ValueId y = behind_activation(node.outputs[0]);
      if (is_op(node, "Conv") || reaches_layer_[size_t(y)]) place(y);
    }
  }

  Placement groups();

 private:
  /// Marks the values from which a path of operators that can run on bytes leads to a layer.
  void find_what_reaches(const std::vector<Layer>& layers);
  void place(ValueId value);
  void place_inputs(const Node& node, std::vector<ValueId>& open);
  ValueId behind_activation(ValueId value) const;
  ValueId root(ValueId value) const;

  const Graph& graph_;
  std::vector<bool> reaches_layer_;                  // Indexed by value.
  std::vector<std::pair<ValueId, ValueId>> joined_;  // Pairs that share one grid if both become bytes.
  std::map<ValueId, ValueId> parent_;                // A forest of the values that become bytes. Each tree is a group.
};

void Placer::find_what_reaches(const std::vector<Layer>& layers) {
  for (const Layer& layer : layers) reaches_layer_[size_t(graph_.node(layer.node).inputs[0])] = true;
  for (auto id = graph_.nodes().rbegin(); id != graph_.nodes().rend(); ++id) {
    const Node& node = graph_.node(*id);
    const bool passes = is_byte_function(graph_, node) || takes_means(node) || !passed_inputs(node).empty();
    if (!passes || node.outputs[0] == kNoValue || !reaches_layer_[size_t(node.outputs[0])]) continue;
    for (const ValueId input : node.inputs) {
      if (input != kNoValue) reaches_layer_[size_t(input)] = true;
    }
  }
}

void Placer::place(ValueId value) {
  std::vector<ValueId> open{value};
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    if (!is_float(graph_, next) || !parent_.emplace(next, next).second) continue;
    if (const Node* node = graph_.producer(next)) place_inputs(*node, open);
  }
}

// Places the inputs of operators that move elements or take means, so that these read bytes.
void Placer::place_inputs(const Node& node, std::vector<ValueId>& open) {
  const bool means = takes_means(node);
  std::vector<ValueId> inputs;
  for (const size_t i : means ? std::vector<size_t>{0} : passed_inputs(node)) inputs.push_back(node.inputs[i]);
  if (inputs.empty() || !std::ranges::all_of(inputs, [&](ValueId input) { return is_float(graph_, input); })) return;
  open.insert(open.end(), inputs.begin(), inputs.end());
  if (means) return;
  for (const ValueId input : inputs) joined_.emplace_back(input, inputs[0]);
  for (const ValueId output : node.outputs) joined_.emplace_back(output, inputs[0]);
}

// The output after a bias that is added to a MatMul, and after the Relu or Clip that runs in the product.
ValueId Placer::behind_activation(ValueId value) const {
  const Node* next = graph_.only_consumer(value);
  if (next && is_op(*next, "Add") && is_op(*graph_.producer(value), "MatMul")) {
    const ValueId other = other_input(*next, value);
    if (other == kNoValue || !graph_.fact(other).constant) return value;
    value = next->outputs[0];
    next = graph_.only_consumer(value);
  }
  return next && (is_op(*next, "Relu") || is_op(*next, "Clip")) ? next->outputs[0] : value;
}

ValueId Placer::root(ValueId value) const {
  while (parent_.at(value) != value) value = parent_.at(value);
  return value;
}

Placement Placer::groups() {
  for (const auto& [a, b] : joined_) {
    if (parent_.contains(a) && parent_.contains(b)) parent_[root(a)] = root(b);
  }
  Placement result;
  std::map<ValueId, size_t> numbers;  // The group numbers of the roots.
  for (const auto& [value, parent] : parent_) {
    const auto [number, added] = numbers.emplace(root(value), result.groups.size());
    if (added) result.groups.emplace_back();
    result.groups[number->second].push_back(value);
    result.group[value] = number->second;
  }
  return result;
}

}  // namespace

Placement place_bytes(const Graph& graph, const std::vector<Layer>& layers) { return Placer(graph, layers).groups(); }

}  // namespace linnet
