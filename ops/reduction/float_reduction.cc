#include "reduction/float_reduction.h"

#include "partition/parallel.h"
#include "partition/parts.h"

namespace linnet {
namespace {

class FloatReduceKernel final : public Kernel {
 public:
  FloatReduceKernel(const ReducePlan& plan, const FloatReduction& reduction) : plan_(plan), reduction_(reduction) {
    // Whole cache lines, few enough columns that tall inputs still split into several chunks.
    const int64_t wanted = std::max<int64_t>(1, kChunkElements / plan.rows) / kColumnUnit * kColumnUnit;
    block_ = std::min(plan.columns, std::max(wanted, kColumnUnit));
    blocks_ = plan.columns > 0 ? ceil_div(plan.columns, block_) : 0;
  }

  void run(KernelContext& context) const override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), plan_.kept.size() * blocks_, plan_.count() * block_,
                   [&](int64_t item, int64_t end, int worker) {
                     float* part = reinterpret_cast<float*>(context.scratch(worker));
                     for (; item < end; ++item) reduce_block(x, y, item, part);
                   });
  }

  size_t scratch_bytes() const override { return size_t(block_) * sizeof(float); }

 private:
  static constexpr int64_t kColumnUnit = 64;

  void reduce_block(const float* x, float* y, int64_t item, float* part) const {
    const int64_t group = blocks_ == 1 ? item : item / blocks_;
    const int64_t column = (item - group * blocks_) * block_;
    const int64_t n = std::min(block_, plan_.columns - column);
    x += plan_.kept.offset(group) + column;
    y += group * plan_.columns + column;
    reduce_part(x, y, n);
    for (int64_t j = 1; j < plan_.reduced.size(); ++j) {
      reduce_part(x + plan_.reduced.offset(j), part, n);
      reduction_.join(y, part, y, n);
    }
    if (reduction_.finish) reduction_.finish(y, n, plan_.count());
  }

  void reduce_part(const float* x, float* y, int64_t n) const {
    if (plan_.columns == 1) {
      *y = reduction_.reduce.row(x, plan_.rows);
    } else {
      reduction_.reduce.columns(x, y, plan_.rows, plan_.columns, n);
    }
  }

  ReducePlan plan_;
  FloatReduction reduction_;
  int64_t block_;
  int64_t blocks_;
};

}  // namespace

KernelPtr make_float_reduction(const ReducePlan& plan, const FloatReduction& reduction) {
  return std::make_unique<FloatReduceKernel>(plan, reduction);
}

}  // namespace linnet
