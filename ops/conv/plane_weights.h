#pragma once

#include "conv/conv_geometry.h"
#include "linnet/op.h"

namespace linnet {

/// Returns the constant weights of a convolution on planes as float32 [out channels, values of a window], in memory
/// that outlasts input 1; an empty tensor if the weights are not constant.
Tensor packed_plane_weights(const ConvGeometry& geometry, const CompileInput& in);

}  // namespace linnet
