#include "conv/plane_weights.h"

#include <algorithm>

#include "compile/compile_input.h"
#include "gemm/half_weights.h"
#include "partition/checkpoints.h"

namespace linnet {

Tensor packed_plane_weights(const ConvGeometry& g, const CompileInput& in) {
  const Tensor* w = in.constant(1);
  if (!w) return Tensor();
  return in.packed(*w, {"conv planes"}, [&] {
    Tensor packed = in.packed_memory(DType::kFloat32, Shape{g.out_channels, checked_mul(g.group_in(), g.taps())});
    std::copy_n(float_weights(*w, in).data<float>(), packed.size(), packed.data<float>());
    return packed;
  });
}

void pack_plane_tiles(const float* w, const PlaneTiles& tiles, int64_t depth, float* packed) {
  Checkpoints checkpoints;
  for (int64_t tile = 0; tile < tiles.count; ++tile) {
    const int64_t row = tiles.begin(tile), end = tiles.begin(tile + 1);
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t i = row; i < end; ++i) *packed++ = w[i * depth + k];
    }
    checkpoints.add(2 * (end - row) * depth);
  }
}

Tensor packed_plane_tiles(const ConvGeometry& g, const PlaneTiles& tiles, const CompileInput& in) {
  const Tensor* w = in.constant(1);
  if (!w) return Tensor();
  return in.packed(*w, {"conv plane tiles", {tiles.count}}, [&] {
    const int64_t depth = checked_mul(g.group_in(), g.taps());
    Tensor packed = in.packed_memory(DType::kFloat32, Shape{g.out_channels, depth});
    pack_plane_tiles(float_weights(*w, in).data<float>(), tiles, depth, packed.data<float>());
    return packed;
  });
}

}  // namespace linnet
