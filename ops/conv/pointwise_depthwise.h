#pragma once

#include "conv/conv_geometry.h"
#include "kernels/epilogue.h"
#include "linnet/op.h"

namespace linnet {

/// A pointwise and a depthwise convolution without the tensor between them, float32 and channels-last (inputs x, w1,
/// w2, b1?, b2?; w1 and w2 constant). depth: the channels of x. geometry: of the depthwise convolution, which has one
/// group per channel and two spatial axes.
KernelPtr make_pointwise_depthwise(int64_t depth, const ConvGeometry& geometry, const Epilogue& inner,
                                   const Epilogue& outer, const CompileInput& in);

}  // namespace linnet
