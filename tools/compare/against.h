#pragma once

#include <string>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// Another form of a model: quantised, exported or converted again. Its inputs and outputs are matched by name or, if a
/// name is missing, by position.
class OtherForm {
 public:
  /// path: of the other file; everything else is as in the flags. Throws Failure(kUsage) if the numbers of inputs or
  /// outputs differ, and what load_model() throws.
  OtherForm(const Model& model, const ModelFlags& flags, const std::string& path);

  const ModelFlags& flags() const { return flags_; }
  /// The inputs of the model in the order of the other form.
  std::vector<Tensor> inputs(const std::vector<Tensor>& of_model) const;
  /// Runs the other form on these inputs of the model. Returns its outputs in the order of the model's outputs. Throws
  /// Failure(kRun), which names the other file.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs_of_model) const;

 private:
  ModelFlags flags_;
  Model other_;
  std::vector<size_t> inputs_;   // by index in the other form: the index in the model
  std::vector<size_t> outputs_;  // by index in the model: the index in the other form
};

}  // namespace linnet::tool
