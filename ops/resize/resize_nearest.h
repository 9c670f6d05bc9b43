#pragma once

#include "linnet/op.h"
#include "resize/resize_lines.h"

namespace linnet {

/// Returns a kernel that copies each output pixel from its only source. Every axis of `lines` has one tap. Pixels
/// outside become the extrapolation value, one element.
KernelPtr make_nearest_resize(ResizeLines lines, DType dtype, const Tensor& extrapolation_value);

}  // namespace linnet
