#include "translator.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "environment/run_environment.h"
#include "exporter/export_error.h"
#include "exporter/pairs.h"
#include "linnet/error.h"
#include "to_onnx.h"
#include "weights.h"

namespace linnet::pt2 {
namespace {

/// Whether an operator only checks, or describes memory that ONNX does not model.
bool has_no_effect(const std::string& target) {
  static const std::set<std::string> names{
      "torch.ops.aten._assert_scalar.default",      "torch.ops.aten._assert_tensor_metadata.default",
      "torch.ops.aten._assert_async.msg",           "torch.ops.aten._assert_async.default",
      "torch.ops.aten.sym_constrain_range.default", "torch.ops.aten.sym_constrain_range_for_size.default"};
  return names.contains(target);
}

bool is_number(const Argument& output) {
  return output.is<SymIntArgument>() || output.is<SymFloatArgument>() || output.is<SymBoolArgument>();
}

/// Returns the nodes whose results are numbers that only checks read. Some of their operators have no rule.
std::set<const Node*> unread_numbers(const Graph& graph) {
  std::set<std::string> read;
  const auto insert = [&](const std::string& name) { read.insert(name); };
  const auto is_read = [&](const Argument& output) {
    bool found = false;
    for_each_name(output, [&](const std::string& name) { found = found || read.contains(name); });
    return found;
  };
  std::set<const Node*> unread;
  for (const Argument& output : graph.outputs) for_each_name(output, insert);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (has_no_effect(node->target)) continue;
    if (!node->outputs.empty() && std::ranges::all_of(node->outputs, is_number) &&
        std::ranges::none_of(node->outputs, is_read)) {
      unread.insert(&*node);
      continue;
    }
    for (const NamedArgument& input : node->inputs) for_each_name(input.argument, insert);
  }
  return unread;
}

}  // namespace

std::vector<exporter::OnnxDim> declared_dims(const TensorMeta& meta) {
  std::vector<exporter::OnnxDim> dims;
  for (const SymExpr& size : meta.sizes) {
    dims.push_back(size.is_integer() ? exporter::OnnxDim{size.integer(), ""}
                                     : exporter::OnnxDim{-1, size.is_symbol() ? size.name() : ""});
  }
  return dims;
}

Translator::Translator(const Program& program, std::map<std::string, Tensor> weights,
                       const exporter::Lowerings& lowerings, const exporter::ExportOptions& options)
    : program_(program),
      weights_(std::move(weights)),
      lowerings_(lowerings),
      builder_(options),
      samples_(sample_sizes(program)),
      written_(written_in_place()) {}

exporter::OnnxGraph Translator::translate() {
  graph_ = &program_.graph;
  add_inputs();
  walk(program_.graph);
  write_outputs();
  remove_unused(builder_.graph());
  return std::move(builder_.graph());
}

void Translator::add_inputs() {
  for (const InputSpec& spec : program_.input_specs) add_input(spec);
}

void Translator::add_input(const InputSpec& spec) {
  using Kind = InputSpec::Kind;
  if (spec.kind == Kind::kConstantInput) return;  // the program was specialised to it
  if (spec.kind == Kind::kToken) return;          // it orders effects, and no effects are covered
  const auto* tensor = spec.argument.get<TensorName>();
  if (spec.kind == Kind::kUserInput && !tensor) {
    throw exporter::ExportError("an input is a number; only tensors can be inputs: export with it as a tensor");
  }
  if (!tensor) throw exporter::ExportError("an input is neither a tensor nor a parameter: " + spec.target);
  const TensorMeta& meta = graph_->tensor_values.at(tensor->name);
  if (spec.kind == Kind::kUserInput || is_mutated(spec)) {
    const std::string name = builder_.unique(spec.kind == Kind::kUserInput ? tensor->name : spec.target);
    builder_.graph().inputs.push_back(exporter::stored_value({name, meta.dtype, declared_dims(meta)}));
    // A buffer that the program changes defaults to its first value.
    if (spec.kind != Kind::kUserInput) {
      builder_.graph().initializers.emplace_back(name, exporter::stored_tensor(weights_.at(spec.target)));
    }
    return bind(tensor->name, tensor_value(meta, name));
  }
  const Tensor& weight = weights_.at(spec.target);
  builder_.name_tensor(weight, spec.target);
  Value value = tensor_value(meta, "");
  for (Concrete& concrete : value.concrete) std::get<exporter::TensorInfo>(concrete.value).contents = weight;
  bind(tensor->name, value);
}

void Translator::walk(const Graph& graph) {
  const Graph* const outer = std::exchange(graph_, &graph);
  const std::set<const Node*> unread = unread_numbers(graph);
  for (const Node& node : graph.nodes) {
    check_current();
    if (unread.contains(&node)) continue;
    builder_.set_origin(node.module, node.source);
    visit(node);
  }
  graph_ = outer;
}

void Translator::visit(const Node& node) {
  if (has_no_effect(node.target)) return;
  if (node.target.starts_with("torch.ops.higher_order.")) return call_higher_order(node);
  call(node);
}

exporter::OnnxGraph to_onnx(const Archive& archive, const exporter::Lowerings& rules,
                            const exporter::ExportOptions& options, const Limits& limits) {
  const Program program = read_program(archive, {}, limits);
  std::map<std::string, Tensor> weights = read_weights(archive, program);
  try {
    return Translator(program, std::move(weights), rules, options).translate();
  } catch (const std::logic_error& error) {  // from containers: a required part is missing
    throw Error(ErrorKind::kModel, str("the program's parts do not fit together: ", error.what()));
  }
}

}  // namespace linnet::pt2
