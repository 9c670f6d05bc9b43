#pragma once

#include "conv/conv_geometry.h"
#include "gemm/quantized_output.h"

namespace linnet {

/// A convolution of quantised tensors (QuantizedInputs) in channels-last order, as a matrix product over its windows.
KernelPtr make_quantized_gemm_conv(const ConvGeometry& geometry, const Activation& activation, const CompileInput& in);
/// The same with one filter per channel: group == in_channels == out_channels.
KernelPtr make_quantized_depthwise_conv(const ConvGeometry& geometry, const Activation& activation,
                                        const CompileInput& in);
/// The same for 3x3 windows, by Winograd's minimal filtering in integers with tiles of outputs x outputs.
KernelPtr make_quantized_winograd_conv(const ConvGeometry& geometry, int outputs, const Activation& activation,
                                       const CompileInput& in);
/// Returns the tile size, 2 or 4, that is possible and estimated to be the fastest, or 0 for no Winograd. It is 0 where
/// the instruction set multiplies bytes.
int quantized_winograd_tile(const ConvGeometry& geometry, const CompileInput& in);
/// The same for groups of few channels, as many in as out, several of which share a vector. Requires
/// suits_quantized_grouped().
KernelPtr make_quantized_grouped_conv(const ConvGeometry& geometry, const Activation& activation,
                                      const CompileInput& in);
/// Whether make_quantized_grouped_conv() is possible and faster. It is not where bytes are multiplied, whatever the
/// weights.
bool suits_quantized_grouped(const ConvGeometry& geometry, const CompileInput& in);

}  // namespace linnet
