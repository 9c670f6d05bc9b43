#pragma once

#include "conv/conv_geometry.h"
#include "kernels/epilogue.h"
#include "linnet/op.h"

namespace linnet {

/// A depthwise and a pointwise convolution without the tensor between them, float32 and channels-last (inputs x, w1,
/// w2, b1?, b2?, residual?; w1 and w2 constant). geometry: of the depthwise convolution, which has one group per
/// channel.
KernelPtr make_depthwise_pointwise(const ConvGeometry& geometry, int64_t out_channels, const Epilogue& inner,
                                   const Epilogue& outer, const CompileInput& in);

}  // namespace linnet
