#pragma once

#include <cstdint>
#include <vector>

#include "linnet/op.h"
#include "movement/axes.h"

namespace linnet {

/// A tensor of zeros, false or empty strings.
Tensor zeros(DType dtype, const Shape& shape);
/// Memory for the slices of one output of a node, all of which are put into it: the output's own where `wanted`.
Tensor stack_memory(KernelContext& context, int output, bool wanted, DType dtype, const Shape& shape);

/// Whether elements along the axis are bytes one after the other, so that slice_in() has one in place.
bool has_slices_in_place(const Tensor& tensor, int axis);
/// Element `index` along `axis` in the memory of the tensor.
Tensor slice_in(const Tensor& tensor, int axis, int64_t index);
/// Element `index` of `tensor` along `axis`, copied into `slice` (of its dtype, the shape without that
/// axis). Both throw Error(kShape) where the two do not fit each other.
void take_slice(const Tensor& tensor, int axis, int64_t index, Tensor& slice);
/// The reverse: writes `slice` as element `index` along `axis`.
void put_slice(const Tensor& slice, int axis, int64_t index, Tensor& tensor);

}  // namespace linnet
