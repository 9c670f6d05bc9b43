#include "graph/patch.h"

#include <algorithm>
#include <set>

namespace linnet {
namespace {

// Where in the topological order new nodes go: right behind the last of the nodes they read from.
size_t insertion_point(const Graph& graph, const std::vector<ValueId>& inputs) {
  const std::vector<NodeId>& order = graph.nodes();
  for (size_t position = order.size(); position > 0; --position) {
    const std::vector<ValueId>& outputs = graph.node(order[position - 1]).outputs;
    const bool read = std::any_of(outputs.begin(), outputs.end(), [&](ValueId v) {
      return v != kNoValue && std::find(inputs.begin(), inputs.end(), v) != inputs.end();
    });
    if (read) return position;
  }
  return 0;
}

bool all_behind(const Graph& graph, const std::vector<NodeId>& nodes, std::ptrdiff_t position) {
  const auto behind = graph.nodes().begin() + position;
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](NodeId id) { return std::find(behind, graph.nodes().end(), id) != graph.nodes().end(); });
}

}  // namespace

ValueId Patch::constant(const std::string& name, const Tensor& value) {
  values_.push_back({name, Fact(value)});
  return first_value_ + int(values_.size()) - 1;
}

ValueId Patch::add(NodeSpec spec, std::vector<ValueId> inputs) { return add(std::move(spec), std::move(inputs), 1)[0]; }

std::vector<ValueId> Patch::add(NodeSpec spec, std::vector<ValueId> inputs, int outputs) {
  NewNode node{std::move(spec), std::move(inputs), {}};
  node.spec.num_inputs = int(node.inputs.size());
  node.spec.num_outputs = outputs;
  for (int i = 0; i < outputs; ++i) {
    values_.push_back({str(node.spec.name, ":", node.spec.op_type, outputs == 1 ? "" : str(":", i)), {}});
    node.outputs.push_back(first_value_ + int(values_.size()) - 1);
  }
  nodes_.push_back(node);
  return node.outputs;
}

void Patch::replace(ValueId old_value, ValueId new_value) {
  if (old_value != kNoValue) replacements_.emplace_back(old_value, new_value);
}

void Patch::replace(const Node& node, const std::vector<ValueId>& new_values) {
  for (size_t i = 0; i < node.outputs.size(); ++i) replace(node.outputs[i], new_values[i]);
}

void Patch::apply(Graph& graph) const {
  std::vector<Value> values = values_;
  const auto fact_of = [&](ValueId id) -> const Fact& {
    return id < first_value_ ? graph.fact(id) : values[size_t(id - first_value_)].fact;
  };
  std::vector<std::shared_ptr<const Node>> nodes;
  for (const NewNode& added : nodes_) {
    auto node = std::make_shared<Node>();
    node->id = graph.node_capacity() + int(nodes.size());
    node->spec = added.spec;
    node->op = with_node_context(node->spec, [&] { return graph.registry()->create(node->spec); });
    node->inputs = added.inputs;
    node->outputs = added.outputs;
    std::vector<Fact> in;
    for (const ValueId input : node->inputs) in.push_back(fact_of(input));
    const std::vector<Fact> out = infer_node(*node, in);
    for (size_t i = 0; i < out.size(); ++i) {
      Value& value = values[size_t(node->outputs[i] - first_value_)];
      value.fact = out[i];
      value.producer = node->id;
    }
    nodes.push_back(std::move(node));
  }
  for (const auto& [old_value, new_value] : replacements_) {
    if (!compatible(graph.fact(old_value), fact_of(new_value))) {
      throw Error(ErrorKind::kInternal, str("a rewrite turns '", graph.value(old_value).name, "' from ",
                                            graph.fact(old_value), " into ", fact_of(new_value)));
    }
  }
  commit(graph, std::move(values), nodes);
}

void Patch::commit(Graph& graph, std::vector<Value> values,
                   const std::vector<std::shared_ptr<const Node>>& nodes) const {
  std::vector<ValueId> read;
  std::vector<NodeId> ids;
  for (const auto& node : nodes) {
    read.insert(read.end(), node->inputs.begin(), node->inputs.end());
    ids.push_back(node->id);
  }
  const auto position = std::ptrdiff_t(insertion_point(graph, read));
  graph.order_.insert(graph.order_.begin() + position, ids.begin(), ids.end());
  for (Value& value : values) graph.values_.push_back(std::move(value));
  graph.consumers_.resize(graph.values_.size());
  for (const auto& node : nodes) {
    graph.nodes_.push_back(node);
    for (const ValueId input : node->inputs) graph.add_consumer(input, node->id);
  }
  std::vector<NodeId> candidates = ids;
  bool sorted = true;
  std::set<ValueId> named;
  for (const auto& [old_value, new_value] : replacements_) {
    sorted = sorted && all_behind(graph, graph.consumers(old_value), position);
    graph.replace_uses(old_value, new_value);
    if (new_value >= first_value_ && named.insert(new_value).second) {
      graph.values_[size_t(new_value)].name = graph.value(old_value).name;
    }
    if (graph.value(old_value).producer != kNoValue) candidates.push_back(graph.value(old_value).producer);
  }
  if (!sorted) graph.sort();
  graph.remove_dead(candidates);
}

}  // namespace linnet
