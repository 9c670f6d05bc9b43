#pragma once

#include "conv/conv_algorithm.h"

namespace linnet {

/// A float32 convolution (inputs x, w, bias?, residual?, slope?) by the fastest algorithm. x or y that are
/// channels-first are brought into channels-last order and back where the algorithm does not take them as they are;
/// there is no residual where y is channels-first.
KernelPtr make_conv_kernel(const ConvGeometry& geometry, const ConvLayout& layout, const Epilogue& epilogue,
                           const CompileInput& in);

/// A float64 convolution (inputs x, w, bias?) laid out as in ONNX.
KernelPtr make_conv_f64(const ConvGeometry& geometry, const CompileInput& in);

/// A transposed convolution (inputs x, w, bias?) of float32 or float64, laid out as in ONNX.
KernelPtr make_conv_transpose_kernel(const ConvGeometry& geometry, const CompileInput& in);

}  // namespace linnet
