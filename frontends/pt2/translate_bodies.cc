#include <algorithm>

#include "exporter/export_error.h"
#include "exporter/pairs.h"
#include "translator.h"

// Translates higher-order operators. Their bodies are separate graphs whose inputs are the operands.
namespace linnet::pt2 {
namespace {

const std::vector<exporter::OnnxDim> kScalar{};

const Graph& body_of(const Node& node, size_t input) {
  const auto* body = input < node.inputs.size() ? node.inputs[input].argument.get<GraphArgument>() : nullptr;
  if (!body) throw exporter::ExportError(node.target + ": input " + std::to_string(input) + " is not a graph");
  return *body->graph;
}

/// Returns the operands; lists of operands are flattened.
std::vector<Argument> operands_from(const Node& node, size_t first, size_t end = SIZE_MAX) {
  std::vector<Argument> operands;
  for (size_t i = first; i < std::min(end, node.inputs.size()); ++i) {
    const Argument& argument = node.inputs[i].argument;
    if (const auto* list = argument.get<std::vector<TensorName>>()) {
      for (const TensorName& one : *list) operands.push_back({one});
    } else if (const auto* numbers = argument.get<std::vector<SymIntArgument>>()) {
      for (const SymIntArgument& one : *numbers) operands.push_back({one});
    } else {
      operands.push_back(argument);
    }
  }
  return operands;
}

/// Whether a with_effects node, which tokens keep in order, only checks matrices. No other effects are supported; these
/// checks return nothing.
bool calls_checks_only(const Node& node) {
  const auto* called = node.inputs.size() > 1 ? node.inputs[1].argument.get<OperatorName>() : nullptr;
  return called && called->name.find("_linalg_check_errors") != std::string::npos;
}

}  // namespace

void Translator::call_higher_order(const Node& node) {
  const std::string name = node.target.substr(node.target.rfind('.') + 1);
  if (name == "cond") return branch(node);
  if (name == "while_loop") return loop(node);
  if (name == "scan") return scan(node, operands_from(node, 1, 2), operands_from(node, 2, 3), operands_from(node, 3));
  if (name == "map" || name == "map_impl") return scan(node, {}, operands_from(node, 1, 2), operands_from(node, 2));
  if (name == "wrap_with_set_grad_enabled") return inline_body(node, body_of(node, 1), operands_from(node, 2));
  if (name == "with_effects" && calls_checks_only(node)) return;
  if (name == "wrap_with_autocast") return inline_body(node, body_of(node, 4), operands_from(node, 5));
  site_of(node, node.target).refuse("this kind of control flow is not covered");
}

/// Inlines a body that always runs.
void Translator::inline_body(const Node& node, const Graph& body, const std::vector<Argument>& operands) {
  const std::vector<Value> results = run_body(body, values_of(operands));
  if (node.outputs.size() == 1 && node.outputs[0].is<std::vector<TensorName>>()) {
    Value list;
    list.is_list = true;
    list.elements = results;
    return bind(node.outputs[0], list);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) bind(node.outputs[i], results.at(i));
}

/// Returns the results of a body for these operands. Its nodes are added at the current position.
std::vector<Translator::Value> Translator::run_body(const Graph& body, const std::vector<Value>& operands) {
  if (operands.size() != body.inputs.size())
    throw exporter::ExportError("a body takes other operands than it is given");
  Values inner;
  for (size_t i = 0; i < body.inputs.size(); ++i) {
    for_each_name(body.inputs[i], [&](const std::string& name) { inner[name] = operands[i]; });
  }
  Values outer = std::exchange(values_, inner);
  std::map<std::string, View> views = std::exchange(views_, {});
  walk(body);
  std::vector<Value> results;
  for (const Argument& output : body.outputs) results.push_back(argument_of(output));
  values_ = std::move(outer);
  views_ = std::move(views);
  return results;
}

/// Ends a body that returns these values.
std::shared_ptr<const exporter::OnnxGraph> Translator::end_body(std::vector<exporter::OnnxValue> inputs,
                                                                const std::vector<Value>& results) {
  std::vector<exporter::OnnxValue> outputs;
  for (const Value& value : results) {
    outputs.push_back(
        {builder_.emit("Identity", {name_of(value)}, {}, 1)[0], exporter::stored_dtype(value.concrete[0].dtype()), {}});
  }
  exporter::OnnxGraph graph = builder_.end_body();
  graph.inputs = std::move(inputs);
  graph.outputs = outputs;
  return std::make_shared<const exporter::OnnxGraph>(std::move(graph));
}

/// Returns `count` inputs of a body from `first` on, as values with new names.
std::vector<Translator::Value> Translator::body_inputs(const Graph& body, size_t first, size_t count,
                                                       std::vector<exporter::OnnxValue>& inputs) {
  const Graph* const outer = std::exchange(graph_, &body);
  std::vector<Value> values;
  for (size_t i = first; i < first + count; ++i) {
    Value value = result_of(body.inputs.at(i));
    if (value.is_list) throw exporter::ExportError("a body takes a list, which is not covered");
    value.name = builder_.unique("carried");
    inputs.push_back({value.name, exporter::stored_dtype(value.concrete[0].dtype()), {}});
    values.push_back(value);
  }
  graph_ = outer;
  return values;
}

std::vector<Translator::Value> Translator::values_of(const std::vector<Argument>& arguments) {
  std::vector<Value> values;
  for (const Argument& argument : arguments) values.push_back(argument_of(argument));
  return values;
}

/// Binds the results of a higher-order operator to the ONNX values of these names.
void Translator::bind_results(const Node& node, const Names& names) {
  size_t next = 0;
  for (const Argument& output : node.outputs) {
    Value result = result_of(output);
    exporter::for_each_leaf(result, [&](Value& leaf) { leaf.name = names.at(next++); });
    bind(output, result);
  }
}

/// Translates cond(predicate, true_graph, false_graph, operands).
void Translator::branch(const Node& node) {
  const std::vector<Value> operands = values_of(operands_from(node, 3));
  const std::string condition = name_of(argument_of(node.inputs.at(0).argument));
  std::shared_ptr<const exporter::OnnxGraph> branches[2];
  for (size_t i = 0; i < 2; ++i) {
    builder_.begin_body();
    branches[i] = end_body({}, run_body(body_of(node, 1 + i), operands));
  }
  bind_results(node, builder_.emit("If", {condition}, {{"then_branch", branches[0]}, {"else_branch", branches[1]}},
                                   branches[0]->outputs.size()));
}

/// Translates while_loop(condition_graph, body_graph, carried, further). The body returns the carried values of the
/// next round.
void Translator::loop(const Node& node) {
  const Graph &condition = body_of(node, 0), &body = body_of(node, 1);
  const std::vector<Value> carried = values_of(operands_from(node, 2, 3)), further = values_of(operands_from(node, 3));
  const auto with_further = [&](std::vector<Value> values) {
    values.insert(values.end(), further.begin(), further.end());
    return values;
  };
  const auto flag = [&](const std::vector<Value>& values) {
    const std::string scalar = builder_.constant(Tensor::of<int64_t>({}));
    return builder_.emit("Reshape", {name_of(run_body(condition, with_further(values)).at(0)), scalar}, {}, 1)[0];
  };
  Names inputs{"", flag(carried)};
  for (const Value& value : carried) inputs.push_back(name_of(value));
  builder_.begin_body();
  std::vector<exporter::OnnxValue> declared{{builder_.unique("round"), DType::kInt64, kScalar},
                                            {builder_.unique("condition"), DType::kBool, kScalar}};
  const std::vector<Value> entering = body_inputs(body, 0, carried.size(), declared);
  std::vector<Value> leaving = run_body(body, with_further(entering));
  Value more = constant({false});
  more.name = flag(leaving);
  leaving.insert(leaving.begin(), more);
  const auto rounds = end_body(declared, leaving);
  bind_results(node, builder_.emit("Loop", inputs, {{"body", rounds}}, carried.size()));
}

/// Translates scan(body_graph, carried, sequences, further). The body takes a slice of each sequence and returns the
/// next carried values, then slices of the results. map(body_graph, sequences, further) carries nothing.
void Translator::scan(const Node& node, const std::vector<Argument>& carried, const std::vector<Argument>& sequences,
                      const std::vector<Argument>& further) {
  const Graph& body = body_of(node, 0);
  Names inputs;
  for (const Value& value : values_of(carried)) inputs.push_back(name_of(value));
  for (const Value& value : values_of(sequences)) inputs.push_back(name_of(value));
  builder_.begin_body();
  std::vector<exporter::OnnxValue> declared;
  std::vector<Value> operands = body_inputs(body, 0, inputs.size(), declared);
  const std::vector<Value> outside = values_of(further);
  operands.insert(operands.end(), outside.begin(), outside.end());
  const auto step = end_body(declared, run_body(body, operands));
  bind_results(node, builder_.emit("Scan", inputs, {{"body", step}, {"num_scan_inputs", int64_t(sequences.size())}},
                                   step->outputs.size()));
}

}  // namespace linnet::pt2
