#pragma once

#include <string>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// Another form of a model: quantised, exported or converted once more. Its inputs and outputs are those of the same
/// names, or, where a name is missing, those in the same places.
class OtherForm {
 public:
  /// path: of the other file; all else is as the flags say. Throws Failure(kUsage) where the numbers of inputs or
  /// outputs differ, and what load_model() throws.
  OtherForm(const Model& model, const ModelFlags& flags, const std::string& path);

  const ModelFlags& flags() const { return flags_; }
  /// The inputs of the model in the order of the other form.
  std::vector<Tensor> inputs(const std::vector<Tensor>& of_model) const;
  /// What the other form gives for these inputs of the model, in the order of the model's outputs. Throws
  /// Failure(kRun), naming the other file.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs_of_model) const;

 private:
  ModelFlags flags_;
  Model other_;
  std::vector<size_t> inputs_;   // by place in the other form: the place in the model
  std::vector<size_t> outputs_;  // by place in the model: the place in the other form
};

}  // namespace linnet::tool
