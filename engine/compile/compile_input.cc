#include "compile/model_resources.h"
#include "linnet/op.h"

namespace linnet {

const Fact& CompileInput::at(std::span<const Fact> facts, int i) {
  static const Fact absent;
  return i < int(facts.size()) ? facts[size_t(i)] : absent;
}

Isa CompileInput::isa() const { return resources_.options.isa; }

int CompileInput::winograd_tile() const { return resources_.options.winograd_tile; }

Executor& CompileInput::executor() const { return *resources_.executor; }

Tensor CompileInput::packed(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make) const {
  return resources_.packs.get(source, form, make);
}

Tensor CompileInput::packed_memory(DType dtype, const Shape& shape) const {
  return resources_.spare_memory.tensor(dtype, shape);
}

}  // namespace linnet
