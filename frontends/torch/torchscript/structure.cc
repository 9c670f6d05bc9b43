#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>

#include "tracer.h"

// Nodes that TorchScript's interpreter executes, rather than an operator.
namespace linnet::exporter::torchscript {

const std::unordered_map<std::string, Tracer::Handler>& Tracer::handlers() {
  static const std::unordered_map<std::string, Handler> all = [] {
    std::unordered_map<std::string, Handler> result;
    add_structure(result);
    add_containers(result);
    return result;
  }();
  return all;
}

void Tracer::add_structure(std::unordered_map<std::string, Handler>& handlers) {
  handlers["prim::Constant"] = &Tracer::constant;
  handlers["prim::GetAttr"] = &Tracer::get_attribute;
  handlers["prim::Uninitialized"] = &Tracer::uninitialized;
  handlers["prim::unchecked_cast"] = &Tracer::pass_through;
  handlers["prim::unchecked_unwrap_optional"] = &Tracer::pass_through;
  handlers["aten::_unwrap_optional"] = &Tracer::pass_through;
  handlers["prim::isinstance"] = &Tracer::is_instance;
  handlers["prim::Print"] = &Tracer::ignore;
  handlers["aten::format"] = &Tracer::message;
  handlers["aten::warn"] = &Tracer::ignore;
  handlers["prim::RaiseException"] = &Tracer::raise;
  handlers["prim::If"] = &Tracer::branch;
  handlers["prim::Loop"] = &Tracer::loop;
}

namespace {

bool is_number(const at::Tensor& tensor) {
  const at::ScalarType dtype = tensor.scalar_type();
  return tensor.dim() == 0 && (dtype == at::kDouble || dtype == at::kLong || dtype == at::kBool);
}

/// Tracing converts every Python number to a tensor of rank 0. Unlike other tensors, numbers do not determine dtypes.
c10::IValue as_number(const c10::IValue& value) {
  if (!value.isTensor() || !is_number(value.toTensor())) return value;
  const at::Tensor number = value.toTensor().clone();
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  return number;
}

}  // namespace

void Tracer::constant(const Node& node) {
  const c10::optional<c10::IValue> stored = torch::jit::toIValue(node.output());
  if (!stored) Site(node).refuse("a constant without a value");
  const c10::IValue value = as_number(*stored);
  if (value.isTensor() && value.toTensor().dim() > 0) name_tensor(value.toTensor(), node.output()->debugName());
  bind(node.output(), make_constant(std::vector<c10::IValue>(evaluations_, value)));
}

void Tracer::get_attribute(const Node& node) {
  const c10::IValue& object = value_of(node.input()).concrete[0];
  const c10::IValue value = object.toObjectRef().getAttr(node.s(torch::jit::attr::name));
  bind(node.output(), make_constant(std::vector<c10::IValue>(evaluations_, value)));
}

void Tracer::pass_through(const Node& node) { bind(node.output(), value_of(node.input())); }

void Tracer::ignore(const Node&) {}

/// Binds a text for warnings and exceptions, which may contain sizes.
void Tracer::message(const Node& node) {
  bind(node.output(), make_constant(std::vector<c10::IValue>(evaluations_, evaluate(node, 0)[0])));
}

void Tracer::uninitialized(const Node& node) {
  bind(node.output(), make_constant(std::vector<c10::IValue>(evaluations_, c10::IValue())));
}

void Tracer::raise(const Node& node) {
  const Value& message = value_of(node.inputs()[0]);
  Site(node).refuse("the model raises an exception for these inputs: " +
                    (message.concrete[0].isString() ? message.concrete[0].toStringRef() : std::string()));
}

void Tracer::is_instance(const Node& node) {
  const Value& value = value_of(node.input());
  const c10::TypePtr type = value.is_container() ? node.input()->type() : value.concrete[0].type();
  bool result = false;
  for (const c10::TypePtr& wanted : node.tys(torch::jit::attr::types)) result = result || type->isSubtypeOf(*wanted);
  bind(node.output(), make_constant(std::vector<c10::IValue>(evaluations_, result)));
}

}  // namespace linnet::exporter::torchscript
