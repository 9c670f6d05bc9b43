#include <torch/csrc/jit/serialization/import.h>
#include <torch/library.h>

#include "exporter/export_error.h"
#include "exporter/functions.h"
#include "exporter/needed_opset.h"
#include "exporter/rules/rule_list.h"
#include "exporter/writer.h"
#include "given_examples.h"

// linnet::export_onnx, by which the Python package calls the exporter. PyTorch itself converts its arguments.
namespace linnet::exporter::torchscript {
namespace {

constexpr const char* kSchema =
    "export_onnx(str module, Any arguments, str[] inputs, Dict(str, Dict(int, str)) dynamic, str[] outputs, "
    "Dict(str, str[]) functions, str deform_conv, str my_add, int opset, bool raise_opset, str path) -> ()";
constexpr size_t kArguments = 11;

Names names_of(const c10::IValue& list) {
  Names names;
  for (const c10::IValue& name : list.toListRef()) names.push_back(name.toStringRef());
  return names;
}

std::map<std::string, GivenExamples::Axes> axes_of(const c10::IValue& dynamic) {
  std::map<std::string, GivenExamples::Axes> result;
  for (const auto& input : dynamic.toGenericDict()) {
    for (const auto& axis : input.value().toGenericDict()) {
      result[input.key().toStringRef()][axis.key().toInt()] = axis.value().toStringRef();
    }
  }
  return result;
}

/// Returns the standard rules and those for `functions`, which maps operators with overloads to domain and name.
Lowerings lowerings_with(const c10::IValue& functions) {
  Lowerings lowerings = standard_lowerings();
  for (const auto& entry : functions.toGenericDict()) {
    const Names function = names_of(entry.value());
    lowerings.add(entry.key().toStringRef(), call_of_function({function[0], function[1]}));
  }
  return lowerings;
}

std::vector<c10::TypePtr> types_of(const torch::jit::Module& module) {
  std::vector<c10::TypePtr> types;
  for (const c10::Argument& argument : module.get_method("forward").function().getSchema().arguments()) {
    types.push_back(argument.type());
  }
  types.erase(types.begin());
  return types;
}

void export_module(const std::vector<c10::IValue>& given) {
  torch::jit::Module module = torch::jit::load(given[0].toStringRef());
  module.eval();
  ExportOptions options;
  options.deform_conv = given[6].toStringRef();
  options.my_add = given[7].toStringRef();
  options.opset = given[8].toInt();
  const GivenExamples examples(given[1].toTupleRef().elements(), types_of(module), names_of(given[2]),
                               axes_of(given[3]));
  const auto arguments = [&](const std::vector<Example>& wanted) { return examples.make(wanted); };
  const auto trace = [&] {
    return trace_examples(module, examples.sizes(), arguments, lowerings_with(given[5]), options, names_of(given[4]));
  };
  const OnnxGraph graph = with_needed_opset(options, given[9].toBool(), [&] { return trace().graph; });
  write_onnx(graph, options, given[10].toStringRef(), false);
}

void export_onnx(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  try {
    export_module(torch::jit::pop(*stack, kArguments));
  } catch (const c10::Error& error) {
    throw ExportError(error.what_without_backtrace());
  }
}

TORCH_LIBRARY_FRAGMENT(linnet, m) { m.def(kSchema, torch::CppFunction::makeFromBoxedFunction<&export_onnx>()); }

}  // namespace
}  // namespace linnet::exporter::torchscript
