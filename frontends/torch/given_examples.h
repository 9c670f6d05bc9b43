#pragma once

#include "torchscript/examples.h"

namespace linnet::exporter::torchscript {

/// Makes example arguments from those of the caller. Along a dynamic axis the elements are repeated.
class GivenExamples {
 public:
  /// The symbols of an input's dynamic axes, by axis.
  using Axes = std::map<int64_t, std::string>;

  /// - arguments: those of forward; tensors may be in lists, tuples and dicts
  /// - types: the types that forward expects
  /// - names: the names of the tensors in the arguments, in order
  /// - dynamic: the dynamic axes, by name of the tensor
  ///
  /// Throws ExportError if one symbol has two sizes, or tensors lack names.
  GivenExamples(std::vector<c10::IValue> arguments, const std::vector<c10::TypePtr>& types, Names names,
                std::map<std::string, Axes> dynamic);

  /// The given sizes of the dynamic axes.
  const Sizes& sizes() const { return sizes_; }
  /// Implements ArgumentMaker. PyTorch generates the random numbers.
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
