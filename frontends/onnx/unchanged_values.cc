#include "unchanged_values.h"

#include <numeric>

#include "graph/carries_values.h"

namespace linnet {

namespace {

using GraphPtr = std::shared_ptr<const Graph>;

/// Returns, for each value, the value that it is a copy of through nodes that return their input; else the value
/// itself.
std::vector<ValueId> origins(const Graph& graph) {
  std::vector<ValueId> origin(size_t(graph.value_count()));
  std::iota(origin.begin(), origin.end(), 0);
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (!dynamic_cast<const GivesItsInput*>(node.op.get()) || node.inputs.size() != 1 || node.outputs.size() != 1)
      continue;
    const ValueId in = node.inputs[0], out = node.outputs[0];
    if (in != kNoValue && out != kNoValue) origin[size_t(out)] = origin[size_t(in)];
  }
  return origin;
}

GraphPtr* only_body(NodeSpec& spec) {
  GraphPtr* found = nullptr;
  for (auto& [name, attribute] : spec.attributes) {
    auto* const body = std::get_if<GraphPtr>(&attribute);
    if (body && found) return nullptr;
    if (body) found = body;
  }
  return found;
}

std::vector<CarriedValue> unchanged_values(const Graph& graph, const NodeSpec& spec, const Graph& body,
                                           const std::vector<ValueId>& inputs) {
  const auto op = graph.registry()->create(spec);
  const auto* carries = dynamic_cast<const CarriesValues*>(op.get());
  if (!carries) return {};
  std::vector<CarriedValue> unchanged = carries->carried_values();
  const std::vector<ValueId> origin = origins(body);
  std::erase_if(unchanged, [&](const CarriedValue& value) {
    const ValueId in = body.inputs()[value.body_input], out = body.outputs()[value.body_output].value;
    return inputs[value.input] == kNoValue || origin[size_t(out)] != in;
  });
  return unchanged;
}

/// Returns the elements without those at the positions at(value).
template <class T, class F>
std::vector<T> without(const std::vector<T>& all, const std::vector<CarriedValue>& values, const F& at) {
  std::vector<bool> left_out(all.size(), false);
  for (const CarriedValue& value : values) left_out[at(value)] = true;
  std::vector<T> rest;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!left_out[i]) rest.push_back(all[i]);
  }
  return rest;
}

}  // namespace

std::map<size_t, ValueId> capture_unchanged(const Graph& graph, NodeSpec& spec, std::vector<ValueId>& inputs,
                                            int outputs) {
  GraphPtr* const body = only_body(spec);
  if (!body) return {};
  spec.num_inputs = int(inputs.size());
  spec.num_outputs = outputs;
  const std::vector<CarriedValue> unchanged = unchanged_values(graph, spec, **body, inputs);
  if (unchanged.empty()) return {};
  std::map<size_t, ValueId> given;
  std::vector<ValueId> left = without(inputs, unchanged, [](const auto& value) { return value.input; });
  std::vector<ValueId> body_inputs =
      without((*body)->inputs(), unchanged, [](const auto& value) { return value.body_input; });
  for (const CarriedValue& value : unchanged) {
    left.push_back(inputs[value.input]);
    body_inputs.push_back((*body)->inputs()[value.body_input]);
    given[value.output] = inputs[value.input];
  }
  const auto body_outputs = without((*body)->outputs(), unchanged, [](const auto& value) { return value.body_output; });
  auto part = std::make_shared<Graph>((*body)->part((*body)->nodes(), body_inputs, body_outputs));
  part->drop_dead_nodes();
  *body = std::move(part);
  spec.captures += int(unchanged.size());
  inputs = std::move(left);
  return given;
}

}  // namespace linnet
