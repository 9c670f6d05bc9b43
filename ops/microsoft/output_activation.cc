#include "microsoft/output_activation.h"

#include <array>

#include "functions/function_table.h"
#include "microsoft/of_dtype.h"

namespace linnet {
namespace {

constexpr std::string_view kPrefix = "activation_";

/// A function and the names of its listed parameters.
struct Listed {
  std::string_view function;
  std::vector<const char*> parameters{};
};

const std::array kListed{Listed{"Relu"},
                         Listed{"Silu"},
                         Listed{"Sigmoid"},
                         Listed{"Tanh"},
                         Listed{"LeakyRelu", {"alpha"}},
                         Listed{"HardSigmoid", {"alpha", "beta"}},
                         Listed{"Clip", {"min", "max"}}};

const Listed& listed(const std::string& function) {
  std::string names;
  for (const Listed& entry : kListed) {
    if (entry.function == function) return entry;
    names += str(names.empty() ? "" : ", ", entry.function);
  }
  throw Error(ErrorKind::kModel, str("activation must be one of ", names, ", got '", function, "'"));
}

bool takes_one_input(const std::string& function, const Attributes& attributes) {
  NodeSpec spec;
  spec.op_type = function;
  spec.opset = GraphWriter::kOpset;
  spec.attributes = attributes;
  return function == "Softmax" || function == "LogSoftmax" || activation_of(spec).has_value();
}

}  // namespace

ValueId swish(GraphWriter& graph, ValueId x, float alpha) {
  return graph.op("Mul", {x, graph.op("Sigmoid", {times(graph, x, alpha)})});
}

OutputActivation OutputActivation::of_attributes(const NodeSpec& node) {
  const std::string function = node.attr_or("activation", "");
  Attributes attributes;
  for (const auto& [name, value] : node.attributes) {
    if (name.starts_with(kPrefix)) attributes[name.substr(kPrefix.size())] = value;
  }
  if (!function.empty() && !takes_one_input(function, attributes)) {
    throw Error(ErrorKind::kModel, str("activation must be an operator of one input, got '", function, "'"));
  }
  return {function, attributes};
}

OutputActivation OutputActivation::of_list(const NodeSpec& node) {
  const std::string function = node.attr_or("activation", "");
  if (function.empty()) return {"", {}};
  const std::vector<const char*>& names = listed(function).parameters;
  const auto values = node.attr_or("activation_params", std::vector<float>{});
  if (values.size() != names.size()) {
    throw Error(ErrorKind::kModel,
                str("activation_params must have ", names.size(), " values for ", function, ", got ", values.size()));
  }
  Attributes attributes;
  for (size_t i = 0; i < names.size(); ++i) attributes[names[i]] = values[i];
  return {function, attributes};
}

ValueId OutputActivation::applied(GraphWriter& graph, ValueId y) const {
  if (function_.empty()) return y;
  if (function_ == "Silu") return swish(graph, y);
  if (function_ != "Clip") return graph.op(function_, {y}, attributes_);
  const auto bound = [&](const char* name) { return scalar_like(graph, y, std::get<float>(attributes_.at(name))); };
  return graph.op("Clip", {y, bound("min"), bound("max")});
}

}  // namespace linnet
