#pragma once

#include <span>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::python {

/// The memory of arrays that tensors within containers share. Operators hand such tensors on as they are, and what a
/// run gives is not to change with its inputs.
class SharedElements {
 public:
  explicit SharedElements(std::span<const Tensor> inputs);
  /// The value, or one with copies of what it shares with the inputs.
  Tensor detached(const Tensor& value) const;

 private:
  void add(const Tensor& value, bool within);

  std::vector<const void*> memory_;  ///< in order
};

}  // namespace linnet::python
