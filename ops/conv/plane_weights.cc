#include "conv/plane_weights.h"

#include <algorithm>

#include "compile/compile_input.h"
#include "gemm/half_weights.h"

namespace linnet {

Tensor packed_plane_weights(const ConvGeometry& g, const CompileInput& in) {
  const Tensor* w = in.constant(1);
  if (!w) return Tensor();
  return in.packed(*w, {"conv planes"}, [&] {
    Tensor packed = in.packed_memory(DType::kFloat32, Shape{g.out_channels, g.group_in() * g.taps()});
    std::copy_n(float_weights(*w, in).data<float>(), packed.size(), packed.data<float>());
    return packed;
  });
}

}  // namespace linnet
