#include "compile/compile_input.h"

namespace linnet {
namespace {

const ModelCompileInput& model_input(const CompileInput& in) {
  const auto* const model = dynamic_cast<const ModelCompileInput*>(&in);
  if (!model) throw Error(ErrorKind::kInternal, "needs an input of Linnet's own to be compiled");
  return *model;
}

}  // namespace

const Fact& CompileInput::at(std::span<const Fact> facts, int i) {
  static const Fact absent;
  return i < int(facts.size()) ? facts[size_t(i)] : absent;
}

ModelCompileInput::ModelCompileInput(std::span<const Fact> inputs, std::span<const Fact> outputs,
                                     const CompileInput& outer)
    : CompileInput(inputs, outputs), resources_(model_resources(outer)), packed_(model_input(outer).packed_) {}

Tensor ModelCompileInput::packed(const Tensor& source, const PackedForm& form,
                                 const std::function<Tensor()>& make) const {
  packed_->push_back(resources_.packs.get(source, form, make));
  return packed_->back();
}

Tensor ModelCompileInput::packed_memory(DType dtype, const Shape& shape) const {
  return resources_.packs.memory(dtype, shape);
}

const ModelResources& model_resources(const CompileInput& in) { return model_input(in).resources(); }

}  // namespace linnet
