#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "linnet/tensor.h"

namespace linnet {

/// Memory of tensors that are not needed any more, for new ones: the system need not clear it. Thread-safe.
class SpareMemory {
 public:
  /// Takes the tensor's memory where nobody else refers to it.
  void add(Tensor tensor);
  /// A tensor of numbers, uninitialised: in the smallest part that is large enough, else in new memory.
  Tensor tensor(DType dtype, const Shape& shape);
  /// Gives back what is left.
  void release();

 private:
  struct Part {
    std::byte* data = nullptr;
    std::shared_ptr<const Tensor> owner;
  };

  std::mutex mutex_;
  std::multimap<size_t, Part> parts_;  // by bytes
};

}  // namespace linnet
