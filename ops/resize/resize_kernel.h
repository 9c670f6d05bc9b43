#pragma once

#include <vector>

#include "linnet/op.h"
#include "resize/resize_axis.h"

namespace linnet {

/// Returns a kernel that resizes every axis of input 0. `axes` has one entry per axis. float32, float64 and integers
/// are interpolated (integers in double, rounded to nearest even, saturated). The nearest filter moves elements of any
/// dtype.
KernelPtr make_resize(const ResizeMode& mode, std::vector<ResizeAxis> axes, DType dtype, Isa isa);

}  // namespace linnet
