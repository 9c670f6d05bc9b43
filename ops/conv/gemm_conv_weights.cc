#include "conv/gemm_conv_weights.h"

#include "gemm/bfloat16_pairs.h"
#include "partition/checkpoints.h"

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
template GemmWeights<uint8_t> conv_matrices(const ConvGeometry&, const uint8_t*, int64_t);
template GemmWeights<int8_t> conv_matrices(const ConvGeometry&, const int8_t*, int64_t);

template <class Type>
GemmConvWeights<Type>::GemmConvWeights(const ConvGeometry& geometry, const GemmPanels& panels, const CompileInput& in)
    : geometry_(geometry),
      panels_(panels),
      group_size_(packed_size(panels, geometry.taps(), geometry.group_in(), Type::kUnit)) {
  const Tensor* w = in.constant(1);
  if (!w) return;
  const auto memory = [&] { return in.packed_memory(dtype_of<B>, Shape{geometry_.group, group_size_}); };
  if constexpr (Type::kUnit == 1) {
    packed_ = in.packed(*w, packed_conv_form(panels, geometry.group), [&] {
      Tensor packed = memory();
      pack(weights_as<B>(*w, in).template data<B>(), packed.template data<B>(), in.executor());
      return packed;
    });
  } else {
    packed_ = in.packed(*w, packed_form("conv bfloat16 pairs", panels, {geometry.group}), [&] {
      const Tensor wide = float_weights(*w, in);
      Tensor packed = memory();
      for (int64_t group = 0; group < geometry_.group; ++group) {
        pack_pairs(conv_matrices(geometry_, wide.data<float>(), group), panels_,
                   packed.template data<B>() + group * group_size_, in.executor());
      }
      return packed;
    });
  }
}

template <class Type>
auto GemmConvWeights<Type>::get(const B* w, std::byte* scratch, Executor& executor) const -> const B* {
  if (packed()) return packed_.data<B>();
  auto* made = reinterpret_cast<B*>(scratch);
  pack(w, made, executor);
  return made;
}

template <class Type>
size_t GemmConvWeights<Type>::scratch_bytes() const {
  return packed() ? 0 : dtype_bytes(dtype_of<B>, checked_mul(geometry_.group, group_size_));
}

template <class Type>
void GemmConvWeights<Type>::pack(const B* w, B* packed, Executor& executor) const {
  Checkpoints checkpoints;
  for (int64_t group = 0; group < geometry_.group; ++group) {
    pack_weights(conv_matrices(geometry_, w, group), panels_, packed + group * group_size_, &executor);
    checkpoints.add(group_size_);
  }
}

template class GemmConvWeights<GemmF32>;
template class GemmConvWeights<GemmF64>;
template class GemmConvWeights<GemmBFloat16Pairs>;
#define LINNET_GEMM_WEIGHTS(name, B) template class GemmConvWeights<name>;
#include "kernels/gemm_weights.inc"
#undef LINNET_GEMM_WEIGHTS

}  // namespace linnet
