#pragma once

#include <memory>
#include <utility>

#include "linnet/op.h"
#include "movement/strided_copy.h"

namespace linnet {

/// A kernel whose only output is a strided copy of input 0.
class StridedKernel final : public Kernel {
 public:
  explicit StridedKernel(StridedCopy copy) : copy_(std::move(copy)) {}

  void run(KernelContext& context) const override {
    copy_.run(context.input(0), context.output(0), context.executor());
  }

 private:
  StridedCopy copy_;
};

inline KernelPtr make_strided_kernel(StridedCopy copy) { return std::make_unique<StridedKernel>(std::move(copy)); }

}  // namespace linnet
