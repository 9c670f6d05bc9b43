#include "given_examples.h"

#include <ATen/ATen.h>

#include "exporter/export_error.h"

namespace linnet::exporter::torchscript {
namespace {

at::Tensor repeated(at::Tensor tensor, int64_t axis, int64_t size) {
  const int64_t length = tensor.size(axis);
  if (length == size) return tensor;
  std::vector<int64_t> sizes = tensor.sizes().vec();
  sizes[size_t(axis)] = size;
  if (length == 0) return tensor.new_zeros(sizes);
  return tensor.index_select(axis, at::arange(size, tensor.device()).remainder(length));
}

/// Returns randomly sampled elements of the tensor; kBeyond also yields elements that it does not contain.
at::Tensor drawn(const at::Tensor& tensor, Fill fill) {
  const int64_t count = tensor.numel();
  if (count == 0) return tensor.clone();
  const at::Tensor positions = at::randint(count, {count}, at::kLong).to(tensor.device());
  const at::Tensor result = tensor.flatten().index_select(0, positions).reshape(tensor.sizes());
  if (fill != Fill::kBeyond) return result;
  const auto random = [&](int64_t below) {
    return at::randint(below, tensor.sizes(), at::kLong).to(tensor.device(), tensor.scalar_type());
  };
  if (tensor.scalar_type() == at::kBool) return random(2);
  if (!at::isIntegralType(tensor.scalar_type(), false)) return result * (random(2) * 2 - 1);
  return result + random(kBeyondRange + 1);
}

OnnxValue declared(const std::string& name, const at::Tensor& tensor, const GivenExamples::Axes& axes) {
  std::vector<OnnxDim> dims;
  for (int64_t axis = 0; axis < tensor.dim(); ++axis) {
    const auto symbol = axes.find(axis);
    dims.push_back(symbol == axes.end() ? OnnxDim{tensor.size(axis), ""} : OnnxDim{-1, symbol->second});
  }
  return {name, dtype_from(tensor.scalar_type()), dims};
}

/// Returns a copy, because an evaluation may write to its arguments.
at::Tensor make_tensor(const at::Tensor& given, const GivenExamples::Axes& axes, const Example& example) {
  at::Tensor tensor = given;
  for (const auto& [axis, symbol] : axes) tensor = repeated(tensor, axis, example.sizes.at(symbol));
  return example.fill == Fill::kGiven ? tensor.clone() : drawn(tensor, example.fill);
}

}  // namespace

GivenExamples::GivenExamples(std::vector<c10::IValue> arguments, const std::vector<c10::TypePtr>& types, Names names,
                             std::map<std::string, Axes> dynamic)
    : arguments_(std::move(arguments)), names_(std::move(names)), dynamic_(std::move(dynamic)) {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const bool is_float = types.at(i)->kind() == c10::TypeKind::FloatType;
    if (is_float && arguments_[i].isInt()) arguments_[i] = double(arguments_[i].toInt());
  }
  size_t tensors = 0;
  for (const c10::IValue& argument : arguments_) {
    Value value = make_constant({argument});
    for_each_leaf(value, [&](const Value& leaf) {
      if (leaf.is_tensor()) add_sizes(leaf.tensor(), tensors++);
    });
  }
  if (tensors != names_.size()) {
    throw ExportError(text_of("the arguments hold ", tensors, " tensors, but there are ", names_.size(), " names"));
  }
}

void GivenExamples::add_sizes(const at::Tensor& tensor, size_t index) {
  if (index >= names_.size()) return;
  for (const auto& [axis, symbol] : axes(names_[index])) {
    const int64_t size = tensor.size(axis);
    const int64_t known = sizes_.emplace(symbol, size).first->second;
    if (known != size) throw ExportError(text_of("the dynamic axis ", symbol, " has sizes ", known, " and ", size));
  }
}

GivenExamples::Axes GivenExamples::axes(const std::string& name) const {
  const auto found = dynamic_.find(name);
  return found == dynamic_.end() ? Axes() : found->second;
}

std::vector<ExampleArgument> GivenExamples::make(const std::vector<Example>& examples) const {
  std::vector<ExampleArgument> result;
  size_t tensors = 0;
  for (const c10::IValue& given : arguments_) {
    ExampleArgument argument{make_constant({given}), {}};
    for_each_leaf(argument.value, [&](Value& leaf) {
      const c10::IValue known = leaf.concrete[0];
      leaf.concrete.assign(examples.size(), known);
      if (!known.isTensor()) return;
      leaf.name = names_[tensors++];
      argument.inputs.push_back(declared(leaf.name, known.toTensor(), axes(leaf.name)));
      for (size_t i = 0; i < examples.size(); ++i) {
        leaf.concrete[i] = make_tensor(known.toTensor(), axes(leaf.name), examples[i]);
      }
    });
    result.push_back(std::move(argument));
  }
  return result;
}

}  // namespace linnet::exporter::torchscript
