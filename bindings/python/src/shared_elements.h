#pragma once

#include <span>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::python {

/// The memory that tensors within input containers share with the caller's arrays. Operators pass such tensors on
/// without a copy, but the outputs of a run must not change with its inputs.
class SharedElements {
 public:
  explicit SharedElements(std::span<const Tensor> inputs);
  /// Returns the value, with copies of what it shares with the inputs.
  Tensor detached(const Tensor& value) const;

 private:
  void add(const Tensor& value, bool within);

  std::vector<const void*> memory_;  ///< sorted
};

}  // namespace linnet::python
