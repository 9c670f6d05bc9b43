#include "conv/pointwise_weights.h"

#include "conv/gemm_conv_weights.h"
#include "gemm/half_weights.h"

namespace linnet {

template <class T>
Tensor packed_pointwise_weights(const Tensor& w, const GemmPanels& panels, const CompileInput& in) {
  GemmWeights<T> weights;
  weights.depth = weights.column_stride = w.shape()[1];
  weights.columns = w.shape()[0];
  weights.depth_stride = 1;
  return in.packed(w, packed_conv_form(panels, 1), [&] {
    const Tensor values = weights_as<T>(w, in);
    weights.data = values.data<T>();
    Tensor packed = in.packed_memory(dtype_of<T>, Shape{1, packed_size(panels, 1, weights.depth)});
    pack_weights(weights, panels, packed.data<T>(), &in.executor());
    return packed;
  });
}

template Tensor packed_pointwise_weights<float>(const Tensor&, const GemmPanels&, const CompileInput&);
#define LINNET_GEMM_WEIGHTS(name, B) \
  template Tensor packed_pointwise_weights<B>(const Tensor&, const GemmPanels&, const CompileInput&);
#include "kernels/gemm_weights.inc"
#undef LINNET_GEMM_WEIGHTS

}  // namespace linnet
