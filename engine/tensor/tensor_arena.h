#pragma once

#include <cstddef>
#include <memory>

#include "linnet/tensor.h"
#include "tensor/alignment.h"

namespace linnet {

/// One block of memory, on huge pages where the system has them, for many tensors. The pages of a tensor that nobody
/// refers to any more go back to the system, whatever becomes of the others.
class TensorArena {
 public:
  /// Gives whole pages of memory that nobody reads any more back to the system; it stays valid, with any contents.
  static void release(std::byte* data, size_t bytes);

  /// Nothing is allocated before the first tensor().
  explicit TensorArena(size_t bytes) : bytes_(bytes) {}
  /// A tensor of numbers, uninitialised; one that does not fit any more gets memory of its own.
  Tensor tensor(DType dtype, const Shape& shape);

 private:
  size_t bytes_, used_ = 0;
  std::shared_ptr<std::byte> block_;
};

}  // namespace linnet
