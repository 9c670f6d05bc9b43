#pragma once

#include "torchscript/examples.h"

namespace linnet::exporter::torchscript {

/// Example arguments made of those that a caller has. Along a dynamic axis the elements are repeated.
class GivenExamples {
 public:
  /// The symbols of an input's dynamic axes, by axis.
  using Axes = std::map<int64_t, std::string>;

  /// arguments: those of forward; tensors may be in lists, tuples and dicts
  /// types: what forward expects
  /// names: of the tensors in them, in order
  /// dynamic: the dynamic axes, by name of the tensor
  /// Throws ExportError where one symbol has two sizes, or tensors lack names.
  GivenExamples(std::vector<c10::IValue> arguments, const std::vector<c10::TypePtr>& types, Names names,
                std::map<std::string, Axes> dynamic);

  /// The sizes of the dynamic axes as given.
  const Sizes& sizes() const { return sizes_; }
  /// See ArgumentMaker. Random numbers are PyTorch's.
  std::vector<ExampleArgument> make(const std::vector<Example>& examples) const;

 private:
  void add_sizes(const at::Tensor& tensor, size_t index);
  Axes axes(const std::string& name) const;

  std::vector<c10::IValue> arguments_;
  Names names_;
  std::map<std::string, Axes> dynamic_;
  Sizes sizes_;
};

}  // namespace linnet::exporter::torchscript
