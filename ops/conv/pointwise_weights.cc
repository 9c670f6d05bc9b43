#include "conv/pointwise_weights.h"

#include "conv/gemm_conv_weights.h"

namespace linnet {

Tensor packed_pointwise_weights(const Tensor& w, const GemmPanels& panels, const CompileInput& in) {
  GemmWeights<float> weights;
  weights.data = w.data<float>();
  weights.depth = weights.column_stride = w.shape()[1];
  weights.columns = w.shape()[0];
  weights.depth_stride = 1;
  return in.packed(w, packed_conv_form(panels, 1), [&] {
    Tensor packed = in.packed_memory(DType::kFloat32, Shape{1, packed_size(panels, 1, weights.depth)});
    pack_weights(weights, panels, packed.data<float>(), &in.executor());
    return packed;
  });
}

}  // namespace linnet
