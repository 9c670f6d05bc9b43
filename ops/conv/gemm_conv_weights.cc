#include "conv/gemm_conv_weights.h"

#include "gemm/half_weights.h"

namespace linnet {

PackedForm packed_conv_form(const GemmPanels& panels, int64_t groups) {
  return packed_form("conv panels", panels, {groups});
}

template <class T>
GemmWeights<T> conv_matrices(const ConvGeometry& geometry, const T* w, int64_t group) {
  GemmWeights<T> result;
  result.taps = geometry.taps();
  result.depth = geometry.group_in();
  result.columns = geometry.group_out();
  result.tap_stride = 1;
  result.depth_stride = result.taps;
  result.column_stride = result.taps * result.depth;
  result.data = w + group * result.columns * result.column_stride;
  return result;
}

template GemmWeights<float> conv_matrices(const ConvGeometry&, const float*, int64_t);
template GemmWeights<Half> conv_matrices(const ConvGeometry&, const Half*, int64_t);
template GemmWeights<BFloat16> conv_matrices(const ConvGeometry&, const BFloat16*, int64_t);
template GemmWeights<uint8_t> conv_matrices(const ConvGeometry&, const uint8_t*, int64_t);
template GemmWeights<int8_t> conv_matrices(const ConvGeometry&, const int8_t*, int64_t);

template <class T>
GemmConvWeights<T>::GemmConvWeights(const ConvGeometry& geometry, const GemmPanels& panels, const CompileInput& in)
    : geometry_(geometry), panels_(panels), group_size_(packed_size(panels, geometry.taps(), geometry.group_in())) {
  const Tensor* w = in.constant(1);
  if (!w) return;
  packed_ = in.packed(*w, packed_conv_form(panels, geometry.group), [&] {
    Tensor packed = in.packed_memory(dtype_of<T>, Shape{geometry_.group, group_size_});
    pack(weights_as<T>(*w, in).template data<T>(), packed.data<T>(), in.executor());
    return packed;
  });
}

template <class T>
const T* GemmConvWeights<T>::get(const T* w, std::byte* scratch, Executor& executor) const {
  if (packed()) return packed_.data<T>();
  auto* made = reinterpret_cast<T*>(scratch);
  pack(w, made, executor);
  return made;
}

template <class T>
size_t GemmConvWeights<T>::scratch_bytes() const {
  return packed() ? 0 : dtype_bytes(dtype_of<T>, checked_mul(geometry_.group, group_size_));
}

template <class T>
void GemmConvWeights<T>::pack(const T* w, T* packed, Executor& executor) const {
  for (int64_t group = 0; group < geometry_.group; ++group) {
    pack_weights(conv_matrices(geometry_, w, group), panels_, packed + group * group_size_, &executor);
  }
}

template class GemmConvWeights<float>;
template class GemmConvWeights<double>;
template class GemmConvWeights<Half>;
template class GemmConvWeights<BFloat16>;

}  // namespace linnet
