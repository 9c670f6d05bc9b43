#include "normalization/softmax_axis.h"

#include "partition/parts.h"

namespace linnet {
namespace {

class SoftmaxKernel final : public Kernel {
 public:
  SoftmaxKernel(const Lanes& lanes, SoftmaxKernels::Rows rows, SoftmaxKernels::Columns columns)
      : lanes_(lanes), rows_(rows), columns_(columns) {}

  void run(KernelContext& context) const override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).data<float>();
    lanes_.inner == 1 ? run_rows(context, x, y) : run_columns(context, x, y);
  }
  int in_place(int) const override { return 0; }

 private:
  void run_rows(KernelContext& context, const float* x, float* y) const {
    parallel_items(context.executor(), lanes_.outer, lanes_.n, [&](int64_t begin, int64_t end, int) {
      rows_(x + begin * lanes_.n, y + begin * lanes_.n, end - begin, lanes_.n);
    });
  }

  void run_columns(KernelContext& context, const float* x, float* y) const {
    constexpr int64_t kBlock = 64;
    const int64_t blocks = ceil_div(lanes_.inner, kBlock);
    parallel_items(context.executor(), lanes_.outer * blocks, lanes_.n * kBlock, [&](int64_t block, int64_t end, int) {
      for (; block < end; ++block) {
        const int64_t column = block % blocks * kBlock;
        const int64_t first = block / blocks * lanes_.n * lanes_.inner + column;
        columns_(x + first, y + first, lanes_.n, lanes_.inner, std::min(kBlock, lanes_.inner - column));
      }
    });
  }

  Lanes lanes_;
  SoftmaxKernels::Rows rows_;
  SoftmaxKernels::Columns columns_;
};

}  // namespace

KernelPtr make_softmax_kernel(const Lanes& lanes, SoftmaxKernels::Rows rows, SoftmaxKernels::Columns columns) {
  return std::make_unique<SoftmaxKernel>(lanes, rows, columns);
}

}  // namespace linnet
