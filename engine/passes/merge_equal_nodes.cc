#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "environment/run_environment.h"
#include "graph/carries_values.h"
#include "graph/equal_specs.h"
#include "graph/patch.h"
#include "passes/passes.h"

namespace linnet {
namespace {

// Larger constants are not compared, because exporters repeat only small ones.
constexpr int64_t kComparedElements = 64;

// Whether each output of the second node exists in the first, which merging requires.
bool covers(const Node& first, const Node& second) {
  if (first.outputs.size() != second.outputs.size()) return false;
  for (size_t i = 0; i < first.outputs.size(); ++i) {
    if (first.outputs[i] == kNoValue && second.outputs[i] != kNoValue) return false;
  }
  return true;
}

bool comparable(const Graph& graph, ValueId id) {
  const Tensor& constant = graph.fact(id).constant;
  return constant && !graph.is_input(id) && graph.value(id).producer == kNoValue && !graph.consumers(id).empty() &&
         !graph.is_output(id) && !is_object(constant.dtype()) && constant.size() <= kComparedElements;
}

bool merge_constants(Graph& graph) {
  std::map<std::tuple<DType, std::vector<int64_t>, std::string>, ValueId> seen;
  Patch patch(graph);
  bool changed = false;
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    if (!comparable(graph, id)) continue;
    check_current();
    const Tensor& constant = graph.fact(id).constant;
    const std::string bytes(static_cast<const char*>(constant.raw()), constant.bytes());
    const auto [first, added] =
        seen.try_emplace({constant.dtype(), {constant.shape().begin(), constant.shape().end()}, bytes}, id);
    if (added) continue;
    patch.replace(id, first->second);
    changed = true;
  }
  patch.apply(graph);
  return changed;
}

/// The nodes that are kept and the replacements of the others' outputs. The inputs of each node are replaced first.
class Merge {
 public:
  explicit Merge(const Graph& graph) : patch_(graph) {}

  bool add(const Node& node) {
    std::vector<ValueId> inputs = node.inputs;
    for (ValueId& input : inputs) {
      if (const auto merged = merged_.find(input); merged != merged_.end()) input = merged->second;
    }
    auto& alike = seen_[{std::move(inputs), node.spec.op_type, node.spec.domain}];
    std::vector<const Node*>& known = alike.of(node);
    const auto twin = std::find_if(known.begin(), known.end(), [&](const Node* first) {
      return equal_specs(first->spec, node.spec) && covers(*first, node);
    });
    if (twin == known.end()) {
      if (known.size() < kMostForms) known.push_back(&node);
      return false;
    }
    patch_.replace(node, (*twin)->outputs);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) merged_[node.outputs[i]] = (*twin)->outputs[i];
    }
    return true;
  }
  /// Replaces the node's output by its input, and returns the input.
  ValueId drop(const Node& node) {
    const auto merged = merged_.find(node.inputs[0]);
    const ValueId input = merged == merged_.end() ? node.inputs[0] : merged->second;
    patch_.replace(node.outputs[0], input);
    return merged_[node.outputs[0]] = input;
  }
  const Patch& patch() const { return patch_; }

 private:
  // The limit on nodes that differ only in the outputs that they omit.
  static constexpr size_t kMostForms = 16;

  /// Nodes of one operator that read the same values. Attributes may be large, so a node's attributes are read only if
  /// there is another such node.
  class Alike {
   public:
    /// The nodes that may have the same attributes as this one.
    std::vector<const Node*>& of(const Node& node) {
      if (only_.empty() && by_attributes_.empty()) return only_;
      if (by_attributes_.empty()) by_attributes_[checksum_of(only_.front()->spec)] = only_;
      return by_attributes_[checksum_of(node.spec)];
    }

   private:
    std::vector<const Node*> only_;
    std::map<Checksum, std::vector<const Node*>> by_attributes_;
  };

  using Key = std::tuple<std::vector<ValueId>, std::string_view, std::string_view>;

  Patch patch_;
  std::map<Key, Alike> seen_;
  std::unordered_map<ValueId, ValueId> merged_;
};

bool drops(const Graph& graph, const Node& node) {
  return dynamic_cast<const GivesItsInput*>(node.op.get()) && node.inputs.size() == 1 && node.inputs[0] != kNoValue &&
         node.outputs.size() == 1 && node.outputs[0] != kNoValue && !graph.is_output(node.outputs[0]);
}

/// Marks outputs of nodes that read only marked values or nothing. False for other nodes.
bool mark_constant(const Node& node, std::vector<bool>& constant) {
  const auto known = [&](ValueId v) { return v == kNoValue || constant[size_t(v)]; };
  if (!node.op->deterministic() || !std::all_of(node.inputs.begin(), node.inputs.end(), known)) return false;
  for (const ValueId v : node.outputs) {
    if (v != kNoValue) constant[size_t(v)] = true;
  }
  return true;
}

}  // namespace

bool merge_equal_nodes(Graph& graph) {
  bool changed = merge_constants(graph);
  Merge merge(graph);
  for (const NodeId id : graph.nodes()) {
    check_current();
    if (graph.node(id).op->deterministic() && merge.add(graph.node(id))) changed = true;
  }
  merge.patch().apply(graph);
  return changed;
}

void merge_equal_constants(Graph& graph) {
  merge_constants(graph);
  std::vector<bool> constant;
  for (ValueId id = 0; id < graph.value_count(); ++id) constant.push_back(bool(graph.fact(id).constant));
  Merge merge(graph);
  for (const NodeId id : graph.nodes()) {
    check_current();
    const Node& node = graph.node(id);
    if (!mark_constant(node, constant)) continue;
    if (drops(graph, node)) {
      graph.set_fact(node.outputs[0], graph.fact(merge.drop(node)));
    } else {
      merge.add(node);
    }
  }
  merge.patch().apply(graph);
}

}  // namespace linnet
