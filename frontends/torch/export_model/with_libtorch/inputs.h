#pragma once

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "torchscript/examples.h"

namespace linnet::exporter::torchscript {

/// Returns the magnitude of the numbers: 1000 for kLarge, 1 for others.
double magnitude(Fill fill);

/// A tensor of the command line, such as "x:1x3x224x224:float32:0..9".
struct TensorSpec {
  std::string name;
  std::vector<int64_t> sizes;
  at::ScalarType dtype = at::kFloat;
  std::optional<std::pair<int64_t, int64_t>> range;  ///< of integers, both ends included, or of floats
  std::map<int64_t, std::string> dynamic;            ///< symbols by axis
};

/// The arguments of a model's forward method, as the command line describes them.
class ExampleInputs {
 public:
  /// Throws Failure(kUsage) for malformed texts, unknown names and missing arguments.
  ExampleInputs(const torch::jit::Module& module, const std::vector<std::string>& inputs,
                const std::vector<std::string>& dynamic);

  /// The given sizes of the dynamic axes.
  const Sizes& sizes() const { return sizes_; }
  /// Implements ArgumentMaker. PyTorch generates the random numbers.
  std::vector<ExampleArgument> arguments(const std::vector<Example>& examples) const;
  /// Whether some tensor has numbers that depend on Fill.
  bool has_floats() const;

 private:
  struct Argument {
    std::string name;
    c10::TypePtr type;
    std::vector<TensorSpec> tensors;
    std::optional<c10::IValue> constant;
  };

  void add_tensor(const std::string& text);
  void add_constant(const std::string& name, const std::string& text);
  void add_dynamic(const std::string& text);
  void check_complete() const;
  Argument& find(const std::string& name);
  std::string signature() const;

  std::vector<Argument> arguments_;
  Sizes sizes_;
};

}  // namespace linnet::exporter::torchscript
