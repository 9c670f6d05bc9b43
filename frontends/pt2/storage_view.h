#pragma once

#include <cstdint>
#include <vector>

#include "linnet/dtype.h"
#include "linnet/shape.h"
#include "linnet/tensor.h"

namespace linnet::pt2 {

/// A tensor in a storage of elements of its dtype, as torch.as_strided describes it. Strides and offset are in
/// elements.
struct StorageView {
  DType dtype = DType::kUndefined;
  Shape shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
};

/// Whether the elements are contiguous in row-major order.
bool is_dense(const StorageView& view);
/// Returns the number of elements from the storage's begin to the view's last element, inclusive; 0 for a view without
/// elements. Throws Error(kLimit) on overflow.
int64_t needed_elements(const StorageView& view);
/// Returns a contiguous copy of a view. `first` points to the element at the view's offset; the storage must hold the
/// whole view.
Tensor dense_copy(const StorageView& view, const std::byte* first);

}  // namespace linnet::pt2
