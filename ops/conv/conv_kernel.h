#pragma once

#include "conv/conv_algorithm.h"

namespace linnet {

/// A float32 convolution (inputs x, w, bias?, residual?, slope?) by the fastest algorithm. Channels-first x or y are
/// transposed to channels-last order and back where the algorithm does not support them directly. Where y is
/// channels-first there is no residual.
KernelPtr make_conv_kernel(const ConvGeometry& geometry, const ConvLayout& layout, const Epilogue& epilogue,
                           const CompileInput& in);

/// A float64 convolution (inputs x, w, bias?) in the layout of ONNX.
KernelPtr make_conv_f64(const ConvGeometry& geometry, const CompileInput& in);

/// A transposed convolution (inputs x, w, bias?) of float32 or float64, in the layout of ONNX.
KernelPtr make_conv_transpose_kernel(const ConvGeometry& geometry, const CompileInput& in);

}  // namespace linnet
