#pragma once

#include <cstddef>
#include <memory>

#include "linnet/tensor.h"
#include "tensor/alignment.h"

namespace linnet {

/// One block of memory for many tensors, on huge pages if the system has them. The pages of a tensor that is no longer
/// referred to return to the system, whatever happens to the others.
class TensorArena {
 public:
  /// Returns whole pages of unused memory to the system. The memory stays valid, with undefined contents.
  static void release(std::byte* data, size_t bytes);

  /// Allocates nothing before the first tensor().
  explicit TensorArena(size_t bytes) : bytes_(bytes) {}
  /// An uninitialised tensor of numbers. One that does not fit into the block gets separate memory.
  Tensor tensor(DType dtype, const Shape& shape);

 private:
  size_t bytes_, used_ = 0;
  std::shared_ptr<std::byte> block_;
};

}  // namespace linnet
