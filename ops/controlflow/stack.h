#pragma once

#include <cstdint>
#include <vector>

#include "linnet/op.h"
#include "movement/axes.h"

namespace linnet {

/// A tensor of zeros, false or empty strings.
Tensor zeros(DType dtype, const Shape& shape);
/// Memory for the slices of one output of a node, all of which must be written: the output's own memory if `wanted`.
Tensor stack_memory(KernelContext& context, int output, bool wanted, DType dtype, const Shape& shape);

/// Whether elements along the axis are contiguous bytes, so that slice_in() can return one without a copy.
bool has_slices_in_place(const Tensor& tensor, int axis);
/// Element `index` along `axis`, in the memory of the tensor.
Tensor slice_in(const Tensor& tensor, int axis, int64_t index);
/// Copies element `index` of `tensor` along `axis` to `slice` (of its dtype, and the shape without that axis). Both
/// functions throw Error(kShape) if the two do not fit each other.
void take_slice(const Tensor& tensor, int axis, int64_t index, Tensor& slice);
/// Writes `slice` as element `index` along `axis`.
void put_slice(const Tensor& slice, int axis, int64_t index, Tensor& tensor);

}  // namespace linnet
