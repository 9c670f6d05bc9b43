#pragma once

#include "linnet/op.h"
#include "movement/copy.h"

namespace linnet {

/// A kernel whose only output is constant.
class ConstantKernel final : public Kernel {
 public:
  explicit ConstantKernel(const Tensor& value) : value_(value) {}

  void run(KernelContext& context) const override { copy_tensor(value_, context.output(0), context.executor()); }

 private:
  Tensor value_;
};

}  // namespace linnet
