#pragma once

#include "linnet/op.h"
#include "resize/resize_lines.h"

namespace linnet {

/// A kernel that moves each output pixel from its only source, which every axis of `lines` has one of; pixels outside
/// become the extrapolation value, one element.
KernelPtr make_nearest_resize(ResizeLines lines, DType dtype, const Tensor& extrapolation_value);

}  // namespace linnet
