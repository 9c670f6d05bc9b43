#pragma once

#include <cstdint>
#include <vector>

#include "linnet/tensor.h"
#include "tensor/axes.h"

namespace linnet {

/// A tensor of zeros, false or empty strings: what slices are put into.
Tensor zeros(DType dtype, const Shape& shape);

/// Element `index` of `tensor` along `axis`, copied into `slice` (of its dtype, the shape without that
/// axis). Both throw Error(kShape) where the two do not fit each other.
void take_slice(const Tensor& tensor, int axis, int64_t index, Tensor& slice);
/// The reverse: writes `slice` as element `index` along `axis`.
void put_slice(const Tensor& slice, int axis, int64_t index, Tensor& tensor);

}  // namespace linnet
