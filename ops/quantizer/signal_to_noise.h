#pragma once

#include "linnet/tensor.h"

namespace linnet {

/// 10 log10 of the sum of squares over that of the errors, of float32 tensors.
class SignalToNoise {
 public:
  void add(const Tensor& wanted, const Tensor& got);
  /// Infinite without errors, NaN before anything was added.
  double db() const;

 private:
  double signal_ = 0, noise_ = 0;
  bool empty_ = true;
};

}  // namespace linnet
