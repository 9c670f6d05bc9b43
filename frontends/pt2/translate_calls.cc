#include <algorithm>

#include "exporter/export_error.h"
#include "exporter/lower_call.h"
#include "exporter/pairs.h"
#include "translator.h"

// Translates calls of operators, and arithmetic on sizes.
namespace linnet::pt2 {
namespace {

constexpr std::string_view kPrefix = "torch.ops.";

/// Converts "torch.ops.aten.add.Tensor" to "aten::add.Tensor", and "torch.ops.aten.relu.default" to "aten::relu".
/// Arithmetic on Python numbers has TorchScript's names.
std::string operator_name_of(const std::string& target) {
  static const std::map<std::string, std::string> numbers{
      {"_operator.add", "aten::add.int"},        {"_operator.sub", "aten::sub.int"},
      {"_operator.mul", "aten::mul.int"},        {"_operator.floordiv", "aten::floordiv.int"},
      {"_operator.mod", "aten::remainder.int"},  {"_operator.truediv", "aten::div.int"},
      {"_operator.neg", "aten::neg.int"},        {"_operator.pow", "aten::pow.int"},
      {"_operator.eq", "aten::eq.int"},          {"_operator.ne", "aten::ne.int"},
      {"_operator.lt", "aten::lt.int"},          {"_operator.le", "aten::le.int"},
      {"_operator.gt", "aten::gt.int"},          {"_operator.ge", "aten::ge.int"},
      {"_operator.and_", "aten::__and__.bool"},  {"_operator.or_", "aten::__or__.bool"},
      {"math.trunc", "aten::Int.Scalar"},        {"math.floor", "aten::floor.float"},
      {"math.ceil", "aten::ceil.float"},         {"torch.sym_int", "aten::Int.Scalar"},
      {"torch.sym_float", "aten::Float.Scalar"}, {"torch.sym_max", "prim::max.int"},
      {"torch.sym_min", "prim::min.int"},        {"torch.sym_not", "aten::__not__"}};
  if (const auto found = numbers.find(target); found != numbers.end()) return found->second;
  if (!target.starts_with(kPrefix)) return target;
  std::string name = target.substr(kPrefix.size());
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return name;
  name.replace(dot, 1, "::");
  if (name.ends_with(".default")) name.resize(name.size() - std::string_view(".default").size());
  return name;
}

/// Whether the results depend neither on the model's inputs nor on sizes.
bool is_decided(const std::vector<exporter::Value>& values) {
  return std::ranges::all_of(values, [](exporter::Value value) {
    bool agrees = value.constant();
    for_each_leaf(value, [&](exporter::Value& leaf) {
      for (const exporter::Concrete& one : leaf.concrete) {
        agrees = agrees && !one.is_tensor() && one.value.index() == leaf.concrete[0].value.index();
      }
    });
    return agrees;
  });
}

}  // namespace

exporter::Site Translator::site_of(const Node& node, const std::string& operator_name) const {
  return {operator_name, {}, "", node.source, node.module};
}

void Translator::call(const Node& node) {
  const std::string name = operator_name_of(node.target);
  if (name.starts_with("aten::sym_size") || name.starts_with("aten::sym_numel")) return visit_size(node);
  if (node.target == "torch.sym_ite") return choose(node);
  if (!node.target.starts_with(kPrefix)) return visit_number(node, name);
  const std::optional<Schema> schema = find_schema(name, samples_.size());
  if (schema && std::ranges::any_of(schema->arguments, &SchemaArgument::is_written)) return write(node, *schema);
  std::vector<std::string> names;
  std::vector<Value> arguments;
  if (schema) {
    for (const SchemaArgument& argument : schema->arguments) {
      const Argument* given = node.input(argument.name);
      if (!given && !argument.otherwise) site_of(node, name).refuse("it lacks argument '" + argument.name + "'");
      names.push_back(argument.name);
      arguments.push_back(given ? argument_of(*given) : *argument.otherwise);
    }
  } else {
    for (const NamedArgument& input : node.inputs) {
      names.push_back(input.name);
      arguments.push_back(argument_of(input.argument));
    }
  }
  const std::vector<Value> results = call(node, name, names, arguments);
  for (size_t i = 0; i < results.size(); ++i) bind(node.outputs[i], results[i]);
  if (schema) note_views(node, *schema);
}

std::vector<Translator::Value> Translator::call(const Node& node, const std::string& operator_name,
                                                const std::vector<std::string>& names,
                                                const std::vector<Value>& arguments) {
  exporter::Site site = site_of(node, operator_name);
  site.arguments = names;
  std::vector<Value> results;
  for (const Argument& output : node.outputs) results.push_back(result_of(output));
  const exporter::Lowering* rule = find_rule(lowerings_, operator_name, site, arguments, results);
  if (!rule) site.refuse("there is no lowering rule for it; add a rule with --lowering rules.so");
  lower_call(site, *rule, arguments, results, builder_, samples_.size());
  return results;
}

/// Translates the size of an axis, or the number of elements.
void Translator::visit_size(const Node& node) {
  Value size = result_of(node.outputs.at(0));
  const bool is_open = std::ranges::any_of(
      size.concrete, [&](const Concrete& one) { return one.integer() != size.concrete[0].integer(); });
  if (is_open) {
    const Value& tensor = value_of(tensor_of(node, "self"));
    const std::string x = name_of(tensor);
    if (node.input("dim")) {
      const auto dim = given_of<int64_t>(node, "dim");
      const std::string shape = builder_.emit("Shape", {x}, {}, 1)[0];
      const std::string index = builder_.constant(Tensor::scalar(dim < 0 ? dim + tensor.tensor().dim() : dim));
      size.name = builder_.emit("Gather", {shape, index}, {{"axis", int64_t{0}}}, 1)[0];
    } else {
      size.name = builder_.emit("Size", {x}, {}, 1)[0];
      if (exporter::is_complex(tensor.tensor().dtype)) {
        size.name = builder_.emit("Div", {size.name, builder_.constant(Tensor::scalar(int64_t{2}))}, {}, 1)[0];
      }
    }
  }
  bind(node.outputs[0], size);
}

/// Translates arithmetic on sizes. It is a constant if the result is the same for all sizes.
void Translator::visit_number(const Node& node, const std::string& operator_name) {
  std::vector<std::string> names;
  std::vector<Value> arguments;
  for (const NamedArgument& input : node.inputs) {
    names.push_back(node.target == "torch.sym_not" ? "self" : input.name);
    arguments.push_back(argument_of(input.argument));
  }
  const bool depends = std::ranges::any_of(arguments, [](const Value& value) { return !value.constant(); });
  if (!depends && is_decided(arguments)) return bind(node.outputs.at(0), result_of(node.outputs[0]));
  std::vector<Value> results = call(node, operator_name, names, arguments);
  bind(node.outputs.at(0), results.at(0));
}

/// Translates torch.sym_ite(condition, then, otherwise).
void Translator::choose(const Node& node) {
  Value result = result_of(node.outputs.at(0));
  Names inputs;
  for (const NamedArgument& input : node.inputs) inputs.push_back(name_of(argument_of(input.argument)));
  result.name = builder_.emit("Where", inputs, {}, 1)[0];
  bind(node.outputs[0], result);
}

}  // namespace linnet::pt2
