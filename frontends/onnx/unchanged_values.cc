#include "unchanged_values.h"

#include <algorithm>

#include "graph/carries_values.h"

namespace linnet {

namespace {

using GraphPtr = std::shared_ptr<const Graph>;

/// The value that this one is, whatever it is.
ValueId origin(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  while (node && node->inputs.size() == 1 && dynamic_cast<const GivesItsInput*>(node->op.get())) {
    value = node->inputs[0];
    node = graph.producer(value);
  }
  return value;
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
  std::erase_if(unchanged, [&](const CarriedValue& value) {
    const ValueId in = body.inputs()[value.body_input], out = body.outputs()[value.body_output].value;
    return inputs[value.input] == kNoValue || origin(body, out) != in;
  });
  return unchanged;
}

/// The elements but for those at the positions that `at` gives of the values.
template <class T, class F>
std::vector<T> without(const std::vector<T>& all, const std::vector<CarriedValue>& values, const F& at) {
  std::vector<T> rest;
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::none_of(values.begin(), values.end(), [&](const CarriedValue& value) { return at(value) == i; })) {
      rest.push_back(all[i]);
    }
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
