#include "tracer.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <algorithm>

#include "exporter/pairs.h"

namespace linnet::exporter::torchscript {

Trace Tracer::trace(const torch::jit::Module& module, const std::vector<ExampleArgument>& arguments, size_t tries,
                    const Names& outputs) {
  const at::NoGradGuard no_gradients;
  const std::shared_ptr<torch::jit::Graph> graph = module.get_method("forward").graph()->copy();
  torch::jit::Inline(*graph);
  torch::jit::EliminateDeadCode(graph);
  name_parameters(module);
  evaluations_ = 1;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Value value = arguments[i].value;
    for_each_leaf(value, [&](Value& leaf) { evaluations_ = std::max(evaluations_, leaf.concrete.size()); });
  }
  firm_ = evaluations_ - tries;
  values_[graph->inputs()[0]] = make_constant(std::vector<c10::IValue>(evaluations_, module._ivalue()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (const OnnxValue& input : arguments[i].inputs) {
      claim(input.name);
      builder_.graph().inputs.push_back(exporter::stored_value(input));
    }
    bind(graph->inputs()[i + 1], arguments[i].value);
  }
  for (const std::string& output : outputs) claim(output);
  walk(*graph->block());
  write_outputs(graph->outputs().size() == 1 ? value_of(graph->outputs()[0]) : make_container({}), outputs);
  remove_unused(builder_.graph());
  return {std::move(builder_.graph()), std::move(recorded_)};
}

void Tracer::claim(const std::string& name) {
  if (builder_.unique(name) != name) throw ExportError("two inputs or outputs have the name '" + name + "'");
}

void Tracer::name_parameters(const torch::jit::Module& module) {
  for (const auto& parameter : module.named_parameters()) name_tensor(parameter.value, parameter.name);
  for (const auto& buffer : module.named_buffers()) name_tensor(buffer.value, buffer.name);
  for (const auto& attribute : module.named_attributes()) {
    if (attribute.value.isTensor()) name_tensor(attribute.value.toTensor(), attribute.name);
  }
}

void Tracer::name_tensor(const at::Tensor& tensor, const std::string& name) {
  const auto [named, added] = named_.try_emplace(tensor.unsafeGetTensorImpl(), Named{tensor, {}});
  if (!added) return;
  named->second.dense = dense(tensor);
  builder_.name_tensor(named->second.dense, name);
}

Tensor Tracer::stored(const at::Tensor& tensor) const {
  const auto named = named_.find(tensor.unsafeGetTensorImpl());
  return named == named_.end() ? dense(tensor) : named->second.dense;
}

std::vector<Value> Tracer::inputs_of(const Node& node) const {
  std::vector<Value> result;
  for (const torch::jit::Value* input : node.inputs()) result.push_back(values_.at(input));
  return result;
}

void Tracer::bind(const torch::jit::Value* name, Value value) {
  for_each_leaf(value, [&](Value& leaf) {
    if (!leaf.name.empty() && !leaf.is_unset())
      builder_.set_dtype(leaf.name, exporter::stored_dtype(dtype_of(leaf.concrete[0])));
  });
  values_[name] = std::move(value);
}

bool Tracer::depends(const Node& node) const {
  return std::any_of(node.inputs().begin(), node.inputs().end(),
                     [&](const torch::jit::Value* input) { return !values_.at(input).constant(); });
}

std::string Tracer::name_of(const Value& leaf) {
  if (leaf.is_unset())
    throw ExportError("a result is used for which there is no ONNX value: that of " + leaf.name.substr(1));
  if (!leaf.name.empty()) return leaf.name;
  const c10::IValue& concrete = leaf.concrete[0];
  return concrete.isTensor() ? builder_.tensor(stored(concrete.toTensor())) : builder_.constant(scalar_of(concrete));
}

void Tracer::walk(const Block& block) {
  for (const Node* node : block.nodes()) {
    builder_.set_origin(Site(*node).scope(), Site(*node).source());
    visit(*node);
  }
}

void Tracer::visit(const Node& node) {
  const auto handler = handlers().find(node.maybeSchema() ? Site(node).operator_name() : node.kind().toQualString());
  if (handler != handlers().end()) return (this->*handler->second)(node);
  if (node.maybeOperator() == nullptr) Site(node).refuse("the exporter cannot follow this kind of node");
  visit_operator(node);
}

}  // namespace linnet::exporter::torchscript
