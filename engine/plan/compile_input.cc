#include "linnet/op.h"
#include "plan/environment.h"

namespace linnet {

Isa CompileInput::isa() const { return environment_.options.isa; }

Tensor CompileInput::packed(const Tensor& source, const std::string& layout,
                            const std::function<Tensor()>& make) const {
  return environment_.packs.get(source, layout, make);
}

}  // namespace linnet
