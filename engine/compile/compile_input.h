#pragma once

#include <memory>
#include <vector>

#include "compile/model_resources.h"
#include "linnet/op.h"

namespace linnet {

/// The CompileInput for a node of a model.
class ModelCompileInput final : public CompileInput {
 public:
  ModelCompileInput(std::span<const Fact> inputs, std::span<const Fact> outputs, const ModelResources& resources)
      : CompileInput(inputs, outputs), resources_(resources) {}
  /// For a kernel inside the one that is compiled with `outer`, which holds what the inner one packs.
  ModelCompileInput(std::span<const Fact> inputs, std::span<const Fact> outputs, const CompileInput& outer);

  Isa isa() const override { return resources_.options.isa; }
  Executor& executor() const override { return *resources_.executor; }
  Tensor packed(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make) const override;
  Tensor packed_memory(DType dtype, const Shape& shape) const override;

  /// The resources that programs of bodies share with the model.
  const ModelResources& resources() const { return resources_; }
  /// All tensors that packed() returned, which the kernel may hold.
  const std::vector<Tensor>& packed_tensors() const { return *packed_; }

 private:
  const ModelResources& resources_;
  std::shared_ptr<std::vector<Tensor>> packed_ = std::make_shared<std::vector<Tensor>>();
};

/// The resources of a CompileInput. Throws Error(kInternal) if it is not a ModelCompileInput.
const ModelResources& model_resources(const CompileInput& in);

}  // namespace linnet
