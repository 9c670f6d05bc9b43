#pragma once

#include "conv/conv_geometry.h"
#include "gemm/quantized_output.h"

namespace linnet {

/// A convolution of quantised tensors (QuantizedInputs) in channels-last order, as a product of the windows.
KernelPtr make_quantized_gemm_conv(const ConvGeometry& geometry, const Activation& activation, const CompileInput& in);
/// The same with one filter per channel: group == in_channels == out_channels.
KernelPtr make_quantized_depthwise_conv(const ConvGeometry& geometry, const Activation& activation,
                                        const CompileInput& in);

}  // namespace linnet
