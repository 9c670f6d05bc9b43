#include "conv/pointwise_weights.h"

#include "conv/gemm_conv_weights.h"
#include "kernels/kernel_table.h"

namespace linnet {

Tensor packed_pointwise_weights(const Tensor& w, const CompileInput& in) {
  GemmWeights weights;
  weights.data = w.data<float>();
  weights.depth = weights.column_stride = w.shape()[1];
  weights.columns = w.shape()[0];
  weights.depth_stride = 1;
  const int columns = kernel_table(in.isa()).gemm.panel_columns;
  return in.packed(w, conv_panels(columns, 1), [&] {
    Tensor packed = in.packed_memory(DType::kFloat32, Shape{1, packed_floats(weights, columns)});
    pack_weights(weights, columns, packed.data<float>(), &in.executor());
    return packed;
  });
}

}  // namespace linnet
