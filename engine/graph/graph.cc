#include "graph/graph.h"

#include <algorithm>
#include <iterator>

namespace linnet {

ValueId Graph::add_input(std::string name, Fact fact) {
  values_.push_back({std::move(name), std::move(fact)});
  consumers_.emplace_back();
  inputs_.push_back(value_count() - 1);
  return inputs_.back();
}

ValueId Graph::add_constant(std::string name, const Tensor& value) {
  values_.push_back({std::move(name), Fact(value)});
  consumers_.emplace_back();
  return value_count() - 1;
}

NodeId Graph::add_node(NodeSpec spec, std::vector<ValueId> inputs, const std::vector<std::string>& output_names) {
  spec.num_inputs = int(inputs.size());
  spec.num_outputs = int(output_names.size());
  const NodeId id = node_capacity();
  auto node = std::make_shared<Node>();
  node->op = with_node_context(spec, [&] { return registry_->create(spec); });
  node->id = id;
  node->spec = std::move(spec);
  node->inputs = std::move(inputs);
  for (const std::string& name : output_names) {
    node->outputs.push_back(name.empty() ? kNoValue : value_count());
    if (name.empty()) continue;
    values_.push_back({name, {}, id});
    consumers_.emplace_back();
  }
  for (const ValueId input : node->inputs) add_consumer(input, id);
  nodes_.push_back(std::move(node));
  order_.push_back(id);
  return id;
}

void Graph::insert(size_t place, std::vector<Value> values, const std::vector<std::shared_ptr<const Node>>& nodes) {
  std::move(values.begin(), values.end(), std::back_inserter(values_));
  consumers_.resize(values_.size());
  std::vector<NodeId> ids;
  for (const auto& node : nodes) {
    nodes_.push_back(node);
    ids.push_back(node->id);
    for (const ValueId input : node->inputs) add_consumer(input, node->id);
  }
  order_.insert(order_.begin() + std::ptrdiff_t(place), ids.begin(), ids.end());
}

void Graph::add_consumer(ValueId value, NodeId node) {
  if (value == kNoValue) return;
  std::vector<NodeId>& readers = consumers_[size_t(value)];
  if (std::find(readers.begin(), readers.end(), node) == readers.end()) readers.push_back(node);
}

void Graph::replace_uses(ValueId old_value, ValueId new_value) {
  for (const NodeId id : consumers(old_value)) {
    auto changed = std::make_shared<Node>(node(id));
    std::replace(changed->inputs.begin(), changed->inputs.end(), old_value, new_value);
    nodes_[size_t(id)] = std::move(changed);
    add_consumer(new_value, id);
  }
  consumers_[size_t(old_value)].clear();
  for (Output& output : outputs_) {
    if (output.value == old_value) output.value = new_value;
  }
}

// Depth first from each node in turn, producers before readers; keeps the old order where it can.
void Graph::sort() {
  std::vector<NodeId> sorted;
  std::vector<char> done(nodes_.size(), 0);
  for (const NodeId root : order_) {
    std::vector<NodeId> open{root};
    while (!open.empty()) {
      const NodeId id = open.back();
      const size_t depth = open.size();
      for (const ValueId input : node(id).inputs) {
        const Node* before = done[size_t(id)] ? nullptr : producer(input);
        if (before && !done[size_t(before->id)]) open.push_back(before->id);
      }
      if (open.size() > depth) continue;
      open.pop_back();
      if (!done[size_t(id)]) sorted.push_back(id);
      done[size_t(id)] = 1;
    }
  }
  order_ = std::move(sorted);
}

bool Graph::dead(NodeId id) const {
  return std::none_of(node(id).outputs.begin(), node(id).outputs.end(),
                      [&](ValueId v) { return !consumers(v).empty() || is_output(v); });
}

void Graph::remove_dead(std::vector<NodeId> candidates) {
  bool removed = false;
  while (!candidates.empty()) {
    const NodeId id = candidates.back();
    candidates.pop_back();
    if (!alive(id) || !dead(id)) continue;
    for (const ValueId input : node(id).inputs) {
      if (input == kNoValue) continue;
      std::erase(consumers_[size_t(input)], id);
      if (value(input).producer != kNoValue) candidates.push_back(value(input).producer);
    }
    nodes_[size_t(id)] = nullptr;
    removed = true;
  }
  if (removed) std::erase_if(order_, [&](NodeId id) { return !alive(id); });
}

void Graph::drop_dead_nodes() { remove_dead(order_); }

void Graph::drop_unread_constants() {
  for (ValueId id = 0; id < value_count(); ++id) {
    const NodeId producer = value(id).producer;
    const bool computed = producer != kNoValue && alive(producer);
    if (fact(id).constant && !computed && consumers(id).empty() && !is_output(id) &&
        std::find(inputs_.begin(), inputs_.end(), id) == inputs_.end()) {
      values_[size_t(id)].fact.constant = {};
    }
  }
}

Graph Graph::part(const std::vector<NodeId>& nodes, const std::vector<ValueId>& inputs,
                  const std::vector<Output>& outputs) const {
  Graph result = *this;
  result.nodes_.assign(nodes_.size(), nullptr);
  result.consumers_.assign(values_.size(), {});
  result.order_ = nodes;
  result.inputs_ = inputs;
  result.outputs_ = outputs;
  for (const ValueId input : inputs) result.values_[size_t(input)].producer = kNoValue;
  for (const NodeId id : nodes) {
    result.nodes_[size_t(id)] = nodes_[size_t(id)];
    for (const ValueId input : node(id).inputs) result.add_consumer(input, id);
  }
  result.drop_unread_constants();
  return result;
}

const Fact& Graph::fact(ValueId id) const {
  static const Fact absent;
  return id == kNoValue ? absent : value(id).fact;
}

const std::vector<NodeId>& Graph::consumers(ValueId id) const {
  static const std::vector<NodeId> none;
  return id == kNoValue ? none : consumers_[size_t(id)];
}

const Node* Graph::producer(ValueId id) const {
  if (id == kNoValue || value(id).producer == kNoValue) return nullptr;
  return &node(value(id).producer);
}

bool Graph::is_output(ValueId id) const {
  return std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& o) { return o.value == id; });
}

const Node* Graph::only_consumer(ValueId id) const {
  if (consumers(id).size() != 1 || is_output(id)) return nullptr;
  const Node& reader = node(consumers(id).front());
  return std::count(reader.inputs.begin(), reader.inputs.end(), id) == 1 ? &reader : nullptr;
}

const Tensor* Graph::constant_input(const Node& node, int input) const {
  const Fact& known = input_fact(node, input);
  return known.constant ? &known.constant : nullptr;
}

const Fact& Graph::input_fact(const Node& node, int input) const {
  return fact(input < int(node.inputs.size()) ? node.inputs[size_t(input)] : kNoValue);
}

std::vector<Fact> input_facts(const Graph& graph, const Node& node) {
  std::vector<Fact> facts;
  facts.reserve(node.inputs.size());
  for (int i = 0; i < int(node.inputs.size()); ++i) facts.push_back(graph.input_fact(node, i));
  return facts;
}

namespace {

void refuse_containers(std::span<const Fact> in) {
  for (size_t i = 0; i < in.size(); ++i) {
    if (is_container(in[i].dtype)) throw Error(ErrorKind::kType, str("input ", i, " must be a tensor, got ", in[i]));
  }
}

void refuse_further_outputs(const Node& node, size_t count) {
  for (size_t i = count; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != kNoValue) {
      throw Error(ErrorKind::kModel, str("the node names ", node.outputs.size(), " outputs, the operator has ", count));
    }
  }
}

}  // namespace

std::vector<Fact> infer_node(const Node& node, std::span<const Fact> in) {
  return with_node_context(node.spec, [&] {
    if (!node.op->accepts_containers()) refuse_containers(in);
    std::vector<Fact> out = node.op->infer(in);
    refuse_further_outputs(node, out.size());
    out.resize(node.outputs.size());
    for (size_t i = 0; i < out.size(); ++i) {
      if (node.outputs[i] == kNoValue) out[i] = {};
    }
    return out;
  });
}

bool no_elements(std::span<const Fact> outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const Fact& fact) {
    return !fact.present() ||
           (fact.concrete() && std::find(fact.dims->begin(), fact.dims->end(), Dim(0)) != fact.dims->end());
  });
}

void throw_output_omitted(int output) {
  throw Error(ErrorKind::kModel, str("output ", output, " must not be omitted"));
}

}  // namespace linnet
