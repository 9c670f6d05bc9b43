#include "functions.h"

#include <algorithm>

namespace linnet::exporter {
namespace {

OnnxNode node(const std::string& op_type, const Names& inputs, const std::string& output,
              const Attributes& attributes) {
  return {op_type, output, inputs, {output}, attributes, ""};
}

/// Returns the function y = 2a + b, for any one numeric dtype.
OnnxFunction my_add_body() {
  return {"custom",
          "my_add",
          {"a", "b"},
          {"y"},
          {node("Constant", {}, "two_int", {{"value", Tensor::scalar(int64_t{2})}}),
           node("CastLike", {"two_int", "a"}, "two", {}), node("Mul", {"two", "a"}, "twice", {}),
           node("Add", {"twice", "b"}, "y", {})}};
}

void call_function(Call& call, const OnnxOperator& function) {
  Names inputs;
  for (const std::string& argument : call.argument_names()) {
    if (!call.has(argument)) continue;
    if (!call.is_tensor(argument)) call.refuse("a model function takes tensors only");
    inputs.push_back(call.value(argument));
  }
  const Names results = call.emit_many(function, inputs, {}, call.result_count());
  for (size_t i = 0; i < results.size(); ++i) call.set_result(i, results[i]);
}

}  // namespace

Lowering call_of_function(OnnxOperator function) {
  return [function = std::move(function)](Call& call) { call_function(call, function); };
}

std::vector<OnnxFunction> used_functions(const OnnxGraph& graph, const ExportOptions& options) {
  if (options.my_add != "function") return {};
  const bool used = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                [](auto& n) { return n.op.domain == "custom" && n.op.op_type == "my_add"; });
  return used ? std::vector<OnnxFunction>{my_add_body()} : std::vector<OnnxFunction>();
}

}  // namespace linnet::exporter
