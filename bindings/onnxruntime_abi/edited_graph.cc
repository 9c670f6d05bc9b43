#include "edited_graph.h"

#include <algorithm>
#include <unordered_map>

#include "status.h"

namespace linnet::ort {
namespace {

/// Returns a name for every value of a graph. Outputs have the names of the graph's outputs; nameless values get new
/// names.
std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const std::string& name = graph.value(id).name;
    names.push_back(name.empty() ? str("#", id) : name);
  }
  for (const Graph::Output& output : graph.outputs()) names[size_t(output.value)] = output.name;
  return names;
}

std::vector<std::string> named(const std::vector<ValueId>& values, const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const ValueId value : values) result.push_back(value == kNoValue ? "" : names[size_t(value)]);
  return result;
}

class Builder {
 public:
  Builder(const EditedGraph& edited, const std::map<std::string, int64_t>& opsets,
          std::shared_ptr<const Registry> registry)
      : edited_(edited), opsets_(opsets), graph_(std::move(registry)) {}

  Graph build() {
    for (const EditedValue& input : *edited_.inputs)
      define(input.name, graph_.add_input(input.name, fact_of(input.type)));
    for (const auto& [name, tensor] : edited_.initializers) define(name, graph_.add_constant(name, tensor));
    add_nodes();
    for (const EditedValue& output : *edited_.outputs) {
      const auto found = values_.find(output.name);
      if (found == values_.end()) {
        throw Failure(kFail,
                      str("This is an invalid model. Graph output (", output.name, ") does not exist in the graph."));
      }
      graph_.add_output(output.name, found->second);
    }
    return std::move(graph_);
  }

 private:
  void define(const std::string& name, ValueId value) {
    if (!values_.emplace(name, value).second) {
      throw Failure(kFail, str("This is an invalid model. Error: Duplicate definition of name (", name, ")."));
    }
  }

  bool is_ready(const EditedNode& node) const {
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](const std::string& name) { return name.empty() || values_.contains(name); });
  }

  /// Adds each node after those that it reads from.
  void add_nodes() {
    std::vector<const EditedNode*> waiting;
    for (const EditedNode& node : edited_.nodes) waiting.push_back(&node);
    while (!waiting.empty()) {
      const auto ready = std::stable_partition(waiting.begin(), waiting.end(),
                                               [&](const EditedNode* node) { return !is_ready(*node); });
      if (ready == waiting.end()) fail_unreadable(waiting);
      std::for_each(ready, waiting.end(), [&](const EditedNode* node) { add(*node); });
      waiting.erase(ready, waiting.end());
    }
  }

  [[noreturn]] void fail_unreadable(const std::vector<const EditedNode*>& waiting) const {
    for (const EditedNode* node : waiting) {
      for (const std::string& name : node->inputs) {
        const auto makes = [&](const EditedNode* other) {
          return std::find(other->outputs.begin(), other->outputs.end(), name) != other->outputs.end();
        };
        if (name.empty() || values_.contains(name) || std::any_of(waiting.begin(), waiting.end(), makes)) continue;
        throw Failure(kInvalidArgument, str("Invalid model. Node input '", name,
                                            "' is not a graph input, initializer, or output of a previous node."));
      }
    }
    throw Failure(kFail, "This is an invalid model. Error: the graph is not acyclic.");
  }

  void add(const EditedNode& node) {
    NodeSpec spec = node.spec;
    const auto opset = opsets_.find(spec.domain);
    if (opset != opsets_.end()) spec.opset = opset->second;
    spec.num_inputs = int(node.inputs.size()) - spec.captures;
    spec.num_outputs = int(node.outputs.size());
    std::vector<ValueId> inputs;
    for (const std::string& name : node.inputs) inputs.push_back(name.empty() ? kNoValue : values_.at(name));
    const NodeId id = graph_.add_node(std::move(spec), inputs, node.outputs);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].empty()) define(node.outputs[i], graph_.node(id).outputs[i]);
    }
  }

  const EditedGraph& edited_;
  const std::map<std::string, int64_t>& opsets_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> values_;
};

}  // namespace

EditedGraph edited_graph(const Graph& graph) {
  const std::vector<std::string> names = names_of(graph);
  EditedGraph edited;
  edited.inputs.emplace();
  edited.outputs.emplace();
  for (const ValueId input : graph.inputs())
    edited.inputs->push_back({names[size_t(input)], type_info(graph.fact(input))});
  for (const Graph::Output& output : graph.outputs()) {
    edited.outputs->push_back({output.name, type_info(graph.fact(output.value))});
  }
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    if (graph.fact(id).constant && !graph.producer(id))
      edited.initializers[names[size_t(id)]] = graph.fact(id).constant;
  }
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    edited.nodes.push_back({node.spec, named(node.inputs, names), named(node.outputs, names)});
  }
  return edited;
}

std::map<std::string, int64_t> opsets_of(const Graph& graph) {
  std::map<std::string, int64_t> opsets;
  for (const NodeId id : graph.nodes()) opsets[graph.node(id).spec.domain] = graph.node(id).spec.opset;
  return opsets;
}

void add(const EditedModel& additions, EditedGraph& graph, std::map<std::string, int64_t>& opsets) {
  for (const auto& [domain, version] : additions.opsets) {
    if (opsets.try_emplace(domain, version).first->second != version) {
      throw Failure(kFail, str("Domain version can not be changed for '", domain, "'."));
    }
  }
  if (!additions.graph) throw Failure(kInvalidArgument, "the model has no graph");
  const EditedGraph& more = *additions.graph;
  if (more.inputs) graph.inputs = more.inputs;
  if (more.outputs) graph.outputs = more.outputs;
  graph.initializers.insert(more.initializers.begin(), more.initializers.end());
  graph.nodes.insert(graph.nodes.end(), more.nodes.begin(), more.nodes.end());
}

Graph build(const EditedGraph& edited, const std::map<std::string, int64_t>& opsets,
            std::shared_ptr<const Registry> registry) {
  if (!edited.inputs || !edited.outputs) throw Failure(kFail, "the graph has no inputs or no outputs");
  return Builder(edited, opsets, std::move(registry)).build();
}

}  // namespace linnet::ort
