#pragma once

#include "conv/conv_geometry.h"
#include "kernels/plane_product.h"
#include "linnet/op.h"

namespace linnet {

/// Returns the constant weights of a convolution on planes as float32 [out channels, values of a window], in memory
/// that outlasts input 1; an empty tensor if the weights are not constant.
Tensor packed_plane_weights(const ConvGeometry& geometry, const CompileInput& in);

/// Reorders weights [rows, depth] to the tiles of a PlaneProduct.
void pack_plane_tiles(const float* w, const PlaneTiles& tiles, int64_t depth, float* packed);
/// Returns the constant weights of a convolution in that order; an empty tensor if they are not constant.
Tensor packed_plane_tiles(const ConvGeometry& geometry, const PlaneTiles& tiles, const CompileInput& in);

}  // namespace linnet
