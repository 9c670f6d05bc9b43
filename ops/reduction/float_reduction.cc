#include <algorithm>

#include "partition/parallel.h"
#include "partition/parts.h"
#include "reduction/make_reduction.h"

namespace linnet {
namespace {

class FloatReduceKernel final : public Kernel {
 public:
  FloatReduceKernel(const ReducePlan& plan, const FloatReduction& reduction) : plan_(plan), reduction_(reduction) {}

  void run(KernelContext& context) const override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).data<float>();
    const int64_t block = column_block(plan_, context.executor(), kMostColumns);
    const int64_t blocks = ceil_div(plan_.columns, block);
    parallel_items(context.executor(), plan_.kept.size() * blocks, plan_.count() * std::min(block, plan_.columns),
                   [&](int64_t item, int64_t end, int) {
                     for (; item < end; ++item) {
                       const int64_t group = blocks == 1 ? item : item / blocks;
                       const int64_t column = (item - group * blocks) * block;
                       reduce_block(x + plan_.kept.offset(group) + column, y + group * plan_.columns + column,
                                    std::min(block, plan_.columns - column));
                     }
                   });
  }

 private:
  static constexpr int64_t kMostColumns = 1024;

  void reduce_block(const float* x, float* y, int64_t n) const {
    reduce_part(x, y, n);
    float part[kMostColumns];
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
};

/// Reduces contiguous rows of a few elements. It transposes groups of rows, so that each row becomes a column.
class ShortRowsKernel final : public Kernel {
 public:
  ShortRowsKernel(const ReducePlan& plan, const FloatReduction& reduction, const TransposeKernels& transpose)
      : rows_(plan.outputs()), length_(plan.rows), reduction_(reduction), transpose_(transpose.bits32) {}

  static bool takes(const ReducePlan& plan) {
    return plan.columns == 1 && plan.reduced.size() == 1 && plan.rows <= kMostElements;
  }

  void run(KernelContext& context) const override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), rows_, length_, [&](int64_t row, int64_t end, int) {
      alignas(64) float columns[kRows * kMostElements];
      for (; row < end; row += kRows) {
        const int64_t n = std::min(kRows, end - row);
        transpose_(x + row * length_, n, length_, length_, columns, n);
        reduction_.reduce.columns(columns, y + row, length_, n, n);
        if (reduction_.finish) reduction_.finish(y + row, n, length_);
      }
    });
  }

 private:
  static constexpr int64_t kRows = 64, kMostElements = 32;

  int64_t rows_, length_;
  FloatReduction reduction_;
  decltype(TransposeKernels::bits32) transpose_;
};

}  // namespace

KernelPtr make_float_reduction(const ReducePlan& plan, const FloatReduction& reduction,
                               const TransposeKernels& transpose) {
  if (ShortRowsKernel::takes(plan)) return std::make_unique<ShortRowsKernel>(plan, reduction, transpose);
  return std::make_unique<FloatReduceKernel>(plan, reduction);
}

}  // namespace linnet
