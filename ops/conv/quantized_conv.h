#pragma once

#include "conv/conv_geometry.h"
#include "gemm/quantized_output.h"

namespace linnet {

/// A convolution of quantised tensors (QuantizedInputs) in channels-last order, as a product of the windows.
KernelPtr make_quantized_gemm_conv(const ConvGeometry& geometry, const Activation& activation, const CompileInput& in);
/// The same with one filter per channel: group == in_channels == out_channels.
KernelPtr make_quantized_depthwise_conv(const ConvGeometry& geometry, const Activation& activation,
                                        const CompileInput& in);
/// The same of 3x3 windows, by Winograd's minimal filtering in integers with tiles of `outputs` a side.
KernelPtr make_quantized_winograd_conv(const ConvGeometry& geometry, int outputs, const Activation& activation,
                                       const CompileInput& in);
/// The tile, 2 or 4, that is possible and estimated to be the fastest; 0: none, as where bytes are multiplied.
int quantized_winograd_tile(const ConvGeometry& geometry, const CompileInput& in);
/// The same of few channels in each group, as many in as out, of which several share a vector; where
/// suits_quantized_grouped().
KernelPtr make_quantized_grouped_conv(const ConvGeometry& geometry, const Activation& activation,
                                      const CompileInput& in);
/// Whether that is possible and faster: not where bytes are multiplied, whatever the weights are.
bool suits_quantized_grouped(const ConvGeometry& geometry, const CompileInput& in);

}  // namespace linnet
