#include "graph/patch.h"

#include <algorithm>

namespace linnet {
namespace {

// The last of the existing nodes that compute one of the values.
NodeId last_producer(const Graph& graph, const std::vector<ValueId>& values) {
  NodeId last = NodeOrder::kFirst;
  for (const ValueId v : values) {
    const NodeId producer = v == kNoValue || v >= graph.value_count() ? kNoValue : graph.value(v).producer;
    if (producer == kNoValue || !graph.alive(producer)) continue;
    if (last == NodeOrder::kFirst || graph.nodes().before(last, producer)) last = producer;
  }
  return last;
}

bool all_behind(const Graph& graph, const std::vector<NodeId>& nodes, NodeId first) {
  return first == NodeOrder::kFirst ||
         std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) { return graph.nodes().before(first, id); });
}

}  // namespace

ValueId Patch::constant(const std::string& name, const Tensor& value) {
  values_.push_back({name, Fact(value)});
  return first_value_ + int(values_.size()) - 1;
}

ValueId Patch::add(NodeSpec spec, std::vector<ValueId> inputs) { return add(std::move(spec), std::move(inputs), 1)[0]; }

std::vector<ValueId> Patch::add(NodeSpec spec, std::vector<ValueId> inputs, int outputs) {
  spec.num_inputs = int(inputs.size());
  spec.num_outputs = outputs;
  Node node(std::move(spec));
  node.inputs = std::move(inputs);
  for (int i = 0; i < outputs; ++i) {
    values_.push_back({str(node.spec.name, ":", node.spec.op_type, outputs == 1 ? "" : str(":", i)), {}});
    node.outputs.push_back(first_value_ + int(values_.size()) - 1);
  }
  nodes_.push_back(node);
  return node.outputs;
}

std::vector<ValueId> Patch::add_for(const Node& old, NodeSpec spec, std::vector<ValueId> inputs) {
  add(std::move(spec), std::move(inputs), int(old.outputs.size()));
  std::vector<ValueId>& outputs = nodes_.back().outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (old.outputs[i] == kNoValue) outputs[i] = kNoValue;
  }
  return outputs;
}

void Patch::replace(ValueId old_value, ValueId new_value) {
  if (old_value != kNoValue) replacements_.emplace_back(old_value, new_value);
}

void Patch::replace(const Node& node, const std::vector<ValueId>& new_values) {
  for (size_t i = 0; i < node.outputs.size(); ++i) replace(node.outputs[i], new_values[i]);
}

void Patch::apply(Graph& graph) const {
  std::vector<Value> values = values_;
  const std::vector<std::shared_ptr<const Node>> nodes = make_nodes(graph, values);
  check_replacements(graph, values);
  const NodeId behind = last_producer(graph, read_values());
  const bool in_order = all_behind(graph, readers_of_replaced(graph), behind);
  graph.insert(behind, std::move(values), nodes);
  graph.replace_uses(replacements_);
  if (!in_order) graph.sort();
  name_after_replaced(graph);
  graph.remove_dead(nodes_to_doubt(graph));
}

const Fact& Patch::fact(const Graph& graph, const std::vector<Value>& values, ValueId id) const {
  return id < first_value_ ? graph.fact(id) : values[size_t(id - first_value_)].fact;
}

std::vector<std::shared_ptr<const Node>> Patch::make_nodes(const Graph& graph, std::vector<Value>& values) const {
  std::vector<std::shared_ptr<const Node>> nodes;
  for (const Node& described : nodes_) {
    auto node = std::make_shared<Node>(described);
    node->id = graph.node_capacity() + int(nodes.size());
    node->op = with_node_context(node->spec, [&] { return graph.registry()->create(node->spec); });
    std::vector<Fact> in;
    for (const ValueId input : node->inputs) in.push_back(fact(graph, values, input));
    const std::vector<Fact> out = infer_node(*node, in);
    for (size_t i = 0; i < out.size(); ++i) {
      if (node->outputs[i] == kNoValue) continue;
      Value& value = values[size_t(node->outputs[i] - first_value_)];
      value.fact = out[i];
      value.producer = node->id;
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

void Patch::check_replacements(const Graph& graph, const std::vector<Value>& values) const {
  for (const auto& [old_value, new_value] : replacements_) {
    const Fact &before = graph.fact(old_value), &after = fact(graph, values, new_value);
    if (!compatible(before, after)) {
      throw Error(ErrorKind::kInternal,
                  str("a rewrite turns '", graph.value(old_value).name, "' from ", before, " into ", after));
    }
  }
}

std::vector<ValueId> Patch::read_values() const {
  std::vector<ValueId> values;
  for (const Node& node : nodes_) values.insert(values.end(), node.inputs.begin(), node.inputs.end());
  for (const auto& [old_value, new_value] : replacements_) values.push_back(new_value);
  return values;
}

std::vector<NodeId> Patch::readers_of_replaced(const Graph& graph) const {
  std::vector<NodeId> readers;
  for (const auto& [old_value, new_value] : replacements_) {
    readers.insert(readers.end(), graph.consumers(old_value).begin(), graph.consumers(old_value).end());
  }
  return readers;
}

void Patch::name_after_replaced(Graph& graph) const {
  // Backwards, so that the first name given to a value is the one that stays.
  for (auto pair = replacements_.rbegin(); pair != replacements_.rend(); ++pair) {
    const auto& [old_value, new_value] = *pair;
    if (new_value >= first_value_) graph.edit(new_value).name = graph.value(old_value).name;
  }
}

std::vector<NodeId> Patch::nodes_to_doubt(const Graph& graph) const {
  std::vector<NodeId> nodes;
  for (int i = 0; i < int(nodes_.size()); ++i) nodes.push_back(graph.node_capacity() - int(nodes_.size()) + i);
  for (const auto& [old_value, new_value] : replacements_) {
    if (const Node* producer = graph.producer(old_value)) nodes.push_back(producer->id);
  }
  return nodes;
}

}  // namespace linnet
