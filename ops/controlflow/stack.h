#pragma once

#include <cstdint>
#include <vector>

#include "linnet/tensor.h"
#include "tensor/axes.h"

namespace linnet {

/// Element `index` of `tensor` along `axis`, copied into `slice` (the shape without that axis).
void take_slice(const Tensor& tensor, int axis, int64_t index, Tensor& slice);
/// The reverse: writes `slice` as element `index` along `axis`.
void put_slice(const Tensor& slice, int axis, int64_t index, Tensor& tensor);

}  // namespace linnet
