#pragma once

#include <cstdint>
#include <vector>

#include "linnet/dtype.h"
#include "linnet/shape.h"
#include "linnet/tensor.h"

namespace linnet::pt2 {

/// A tensor in a storage of elements of its dtype: torch.as_strided. Strides and offset are in elements.
struct StorageView {
  DType dtype = DType::kUndefined;
  Shape shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
};

/// Whether its elements are in the order of a dense tensor, without gaps.
bool is_dense(const StorageView& view);
/// The number of elements of the storage from its begin to behind the last one that the view has; 0 for a view without
/// elements. Throws Error(kLimit) on overflow.
int64_t needed_elements(const StorageView& view);
/// The elements of a view, copied from a storage that holds them; `first` is that of the view's offset.
Tensor dense_copy(const StorageView& view, const std::byte* first);

}  // namespace linnet::pt2
