#include "graph/graph.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "graph/equal_specs.h"
#include "tensor/same_fact.h"

namespace linnet {
namespace {

constexpr int64_t kValueEntryBytes = sizeof(std::shared_ptr<const Value>) + sizeof(std::vector<NodeId>) + 48;
constexpr int64_t kNodeEntryBytes = sizeof(std::shared_ptr<const Node>) + 32;  // with its place in the order
constexpr size_t kNameAndDimBytes = 96, kNodeListBytes = 96;

bool same_node(const Node& a, const Node& b) {
  return a.inputs == b.inputs && a.outputs == b.outputs && a.spec.name == b.spec.name &&
         a.spec.op_type == b.spec.op_type && a.spec.domain == b.spec.domain && equal_specs(a.spec, b.spec);
}

bool same_value(const Value& a, const Value& b) {
  return a.producer == b.producer && a.name == b.name && same_fact(a.fact, b.fact);
}

}  // namespace

ValueId Graph::add_value(Value value) { return add_value(std::make_shared<Value>(std::move(value))); }

ValueId Graph::add_value(std::shared_ptr<const Value> value) {
  values_.push_back(std::move(value));
  consumers_.emplace_back();
  is_input_.push_back(false);
  uses_as_output_.push_back(0);
  return value_count() - 1;
}

Value& Graph::edit(ValueId id) {
  std::shared_ptr<const Value>& value = values_[size_t(id)];
  if (value.use_count() > 1) value = std::make_shared<Value>(*value);
  return const_cast<Value&>(*value);
}

ValueId Graph::add_input(std::string name, Fact fact) {
  const ValueId id = add_value({std::move(name), std::move(fact)});
  is_input_[size_t(id)] = true;
  inputs_.push_back(id);
  return id;
}

ValueId Graph::add_constant(std::string name, const Tensor& value) { return add_value({std::move(name), Fact(value)}); }

void Graph::add_output(std::string name, ValueId value) {
  outputs_.push_back({std::move(name), value});
  if (value != kNoValue) ++uses_as_output_[size_t(value)];
}

NodeId Graph::add_node(NodeSpec spec, std::vector<ValueId> inputs, const std::vector<std::string>& output_names,
                       std::vector<Fact> declared) {
  spec.num_inputs = int(inputs.size());
  spec.num_outputs = int(output_names.size());
  auto written = std::make_shared<WrittenValues>();
  for (const ValueId input : inputs) written->inputs.push_back(input == kNoValue ? "" : value(input).name);
  written->outputs = output_names;
  written->declared = std::move(declared);
  spec.written = std::move(written);
  const NodeId id = node_capacity();
  std::shared_ptr<const Op> op = with_node_context(spec, [&] { return registry_->create(spec); });
  spec.written = nullptr;
  const auto node = std::make_shared<Node>(std::move(spec));
  node->id = id;
  node->op = std::move(op);
  node->inputs = std::move(inputs);
  for (const std::string& name : output_names) {
    node->outputs.push_back(name.empty() ? kNoValue : add_value({name, {}, id}));
  }
  for (const ValueId input : node->inputs) add_consumer(input, id);
  nodes_.push_back(node);
  is_inferred_.push_back(false);
  order_.push_back(id);
  return id;
}

void Graph::insert(NodeId behind, std::vector<Value> values, const std::vector<std::shared_ptr<const Node>>& nodes) {
  for (Value& value : values) add_value(std::move(value));
  for (const auto& node : nodes) {
    nodes_.push_back(node);
    is_inferred_.push_back(false);
    order_.insert_behind(behind, node->id);
    behind = node->id;
    for (const ValueId input : node->inputs) add_consumer(input, node->id);
  }
}

void Graph::set_fact(ValueId value, Fact fact) {
  if (!same_fact(this->value(value).fact, fact)) {
    for (const NodeId reader : consumers(value)) is_inferred_[size_t(reader)] = false;
  }
  edit(value).fact = std::move(fact);
}

// If a new node has already read the value, it is the last reader.
void Graph::add_consumer(ValueId value, NodeId node) {
  if (value == kNoValue) return;
  std::vector<NodeId>& readers = consumers_[size_t(value)];
  if (readers.empty() || readers.back() != node) readers.push_back(node);
}

// Replacements apply one after another, but every reader is changed once.
void Graph::replace_uses(const Replacements& replacements) {
  std::unordered_map<ValueId, ValueId> last;
  for (auto pair = replacements.rbegin(); pair != replacements.rend(); ++pair) {
    const auto further = last.find(pair->second);
    last.insert_or_assign(pair->first, further == last.end() ? pair->second : ValueId(further->second));
  }
  std::vector<NodeId> readers;
  std::unordered_set<NodeId> known;
  for (const auto& [old_value, new_value] : replacements) {
    for (const NodeId id : std::exchange(consumers_[size_t(old_value)], {})) {
      if (known.insert(id).second) readers.push_back(id);
    }
  }
  for (const NodeId id : readers) replace_inputs(id, last);
  for (Output& output : outputs_) {
    const auto found = last.find(output.value);
    if (found == last.end()) continue;
    --uses_as_output_[size_t(output.value)];
    output.value = found->second;
    ++uses_as_output_[size_t(output.value)];
  }
}

void Graph::replace_inputs(NodeId id, const std::unordered_map<ValueId, ValueId>& values) {
  auto changed = std::make_shared<Node>(node(id));
  std::unordered_set<ValueId> read;
  for (const ValueId input : changed->inputs) {
    if (!values.contains(input)) read.insert(input);
  }
  for (ValueId& input : changed->inputs) {
    const auto found = values.find(input);
    if (found == values.end()) continue;
    input = found->second;
    if (read.insert(input).second) consumers_[size_t(input)].push_back(id);
  }
  nodes_[size_t(id)] = std::move(changed);
  is_inferred_[size_t(id)] = false;
}

// Depth first from each node in turn, producers before readers. Keeps the old order where possible.
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
  order_ = NodeOrder(sorted);
}

void Graph::remove_dead(std::vector<NodeId> candidates) {
  std::unordered_map<ValueId, size_t> lost;  // readers that are dead
  const auto is_read = [&](ValueId v) {
    const auto found = lost.find(v);
    return is_output(v) || consumers(v).size() > (found == lost.end() ? 0 : found->second);
  };
  while (!candidates.empty()) {
    const NodeId id = candidates.back();
    candidates.pop_back();
    if (!alive(id) || std::any_of(node(id).outputs.begin(), node(id).outputs.end(), is_read)) continue;
    const std::set<ValueId> inputs(node(id).inputs.begin(), node(id).inputs.end());
    for (const ValueId input : inputs) {
      if (input == kNoValue) continue;
      ++lost[input];
      if (value(input).producer != kNoValue) candidates.push_back(value(input).producer);
    }
    nodes_[size_t(id)] = nullptr;
    order_.erase(id);
  }
  const auto is_dead = [&](NodeId id) { return !alive(id); };
  for (const auto& [value, count] : lost) {
    std::vector<NodeId>& readers = consumers_[size_t(value)];
    if (count == 1) {
      readers.erase(std::find_if(readers.begin(), readers.end(), is_dead));
    } else {
      std::erase_if(readers, is_dead);
    }
  }
}

void Graph::drop_dead_nodes() { remove_dead(order_); }

void Graph::drop_unread_constants() {
  for (ValueId id = 0; id < value_count(); ++id) {
    const NodeId producer = value(id).producer;
    const bool computed = producer != kNoValue && alive(producer);
    if (fact(id).constant && !computed && consumers(id).empty() && !is_output(id) && !is_input(id)) {
      edit(id).fact.constant = {};
    }
  }
}

Graph Graph::part(const std::vector<NodeId>& nodes, const std::vector<ValueId>& inputs,
                  const std::vector<Output>& outputs) const {
  Graph result(registry_);
  result.values_.resize(values_.size(), std::make_shared<Value>());
  result.nodes_.resize(nodes_.size());
  result.is_inferred_.resize(nodes_.size());
  result.consumers_.resize(values_.size());
  result.uses_as_output_.resize(values_.size());
  result.is_input_.resize(values_.size());
  result.order_ = NodeOrder(nodes);
  result.inputs_ = inputs;
  const auto take = [&](ValueId v) {
    if (v != kNoValue) result.values_[size_t(v)] = values_[size_t(v)];
  };
  for (const NodeId id : nodes) {
    result.nodes_[size_t(id)] = nodes_[size_t(id)];
    for (const ValueId input : node(id).inputs) {
      take(input);
      result.add_consumer(input, id);
    }
    for (const ValueId output : node(id).outputs) take(output);
  }
  for (const Output& output : outputs) {
    take(output.value);
    result.add_output(output.name, output.value);
  }
  for (const ValueId input : inputs) {
    take(input);
    result.edit(input).producer = kNoValue;
    result.is_input_[size_t(input)] = true;
  }
  return result;
}

Graph Graph::compacted() const {
  Graph result(registry_);
  std::vector<ValueId> numbers(values_.size(), kNoValue);
  const auto number = [&](ValueId v) {
    if (v == kNoValue) return kNoValue;
    ValueId& known = numbers[size_t(v)];
    if (known != kNoValue) return known;
    const bool is_computed = value(v).producer != kNoValue;
    known = is_computed ? result.add_value({value(v).name, value(v).fact}) : result.add_value(values_[size_t(v)]);
    return known;
  };
  for (const ValueId input : inputs_) {
    result.inputs_.push_back(number(input));
    result.is_input_[size_t(result.inputs_.back())] = true;
  }
  for (const NodeId old : order_) {
    auto node = std::make_shared<Node>(this->node(old));
    node->id = result.node_capacity();
    for (ValueId& input : node->inputs) {
      input = number(input);
      result.add_consumer(input, node->id);
    }
    for (ValueId& output : node->outputs) {
      output = number(output);
      if (output != kNoValue) result.edit(output).producer = node->id;
    }
    result.order_.push_back(node->id);
    result.nodes_.push_back(std::move(node));
    result.is_inferred_.push_back(is_inferred(old));
  }
  for (const Output& output : outputs_) result.add_output(output.name, number(output.value));
  return result;
}

void Graph::shrink_to_fit() {
  values_.shrink_to_fit();
  nodes_.shrink_to_fit();
  consumers_.shrink_to_fit();
}

size_t Graph::own_bytes() const {
  auto bytes = size_t(checked_add(checked_mul(std::ssize(values_), kValueEntryBytes),
                                  checked_mul(std::ssize(nodes_), kNodeEntryBytes)));
  for (const auto& value : values_) {
    if (value.use_count() == 1) bytes += sizeof(Value) + kNameAndDimBytes;
  }
  for (const auto& node : nodes_) {
    if (node.use_count() == 1) bytes += sizeof(Node) + kNodeListBytes;
  }
  return bytes;
}

void Graph::share_with(const Graph& other) {
  for (size_t id = 0; id < std::min(nodes_.size(), other.nodes_.size()); ++id) {
    const auto &mine = nodes_[id], &theirs = other.nodes_[id];
    if (mine && theirs && mine != theirs && same_node(*mine, *theirs)) nodes_[id] = theirs;
  }
  for (size_t id = 0; id < std::min(values_.size(), other.values_.size()); ++id) {
    const auto &mine = values_[id], &theirs = other.values_[id];
    if (mine != theirs && same_value(*mine, *theirs)) values_[id] = theirs;
  }
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

std::vector<Fact> output_facts(const Graph& graph, const Node& node) {
  std::vector<Fact> facts;
  facts.reserve(node.outputs.size());
  for (const ValueId v : node.outputs) facts.push_back(graph.fact(v));
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
           (fact.concrete() && std::ranges::any_of(*fact.dims, [](const Dim& dim) { return dim.value() == 0; }));
  });
}

void throw_output_omitted(int output) {
  throw Error(ErrorKind::kModel, str("output ", output, " must not be omitted"));
}

}  // namespace linnet
