#include "conv/gemm_conv_weights.h"

namespace linnet {

GemmConvWeights::GemmConvWeights(const ConvGeometry& geometry, int panel_columns, const CompileInput& in)
    : geometry_(geometry),
      panel_columns_(panel_columns),
      group_floats_(packed_floats(matrices(nullptr, 0), panel_columns)) {
  const Tensor* w = in.constant(1);
  if (!w) return;
  packed_ = in.packed(*w, conv_panels(panel_columns, geometry.group), [&] {
    Tensor packed = in.packed_memory(DType::kFloat32, Shape{geometry_.group, group_floats_});
    pack(w->data<float>(), packed.data<float>(), in.executor());
    return packed;
  });
}

const float* GemmConvWeights::get(const float* w, std::byte* scratch, Executor& executor) const {
  if (packed()) return packed_.data<float>();
  auto* made = reinterpret_cast<float*>(scratch);
  pack(w, made, executor);
  return made;
}

size_t GemmConvWeights::scratch_bytes() const {
  return packed() ? 0 : dtype_bytes(DType::kFloat32, checked_mul(geometry_.group, group_floats_));
}

GemmWeights GemmConvWeights::matrices(const float* w, int64_t group) const {
  GemmWeights result;
  result.taps = geometry_.taps();
  result.depth = geometry_.group_in();
  result.columns = geometry_.group_out();
  result.tap_stride = 1;
  result.depth_stride = result.taps;
  result.column_stride = result.taps * result.depth;
  result.data = w + group * result.columns * result.column_stride;
  return result;
}

void GemmConvWeights::pack(const float* w, float* packed, Executor& executor) const {
  for (int64_t group = 0; group < geometry_.group; ++group) {
    pack_weights(matrices(w, group), panel_columns_, packed + group * group_floats_, &executor);
  }
}

}  // namespace linnet
