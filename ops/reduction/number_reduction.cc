#include <algorithm>

#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "reduction/make_reduction.h"

namespace linnet {
namespace {

class NumberReduceKernel final : public Kernel {
 public:
  NumberReduceKernel(const ReducePlan& plan, NumberReducer reducer) : plan_(plan), reducer_(std::move(reducer)) {}

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    if (has_short_rows()) return reduce_short_rows(context.executor(), x, y);
    if (plan_.columns == 1) return reduce_rows(context.executor(), x, y);
    const int64_t block = column_block(plan_, context.executor(), kTotals), blocks = ceil_div(plan_.columns, block);
    parallel_items(context.executor(), plan_.kept.size() * blocks, plan_.count() * block,
                   [&](int64_t item, int64_t end, int) {
                     Checkpoints checkpoints;
                     for (; item < end; ++item) {
                       const int64_t group = item / blocks, column = item % blocks * block;
                       reduce_columns(x + (plan_.kept.offset(group) + column) * reducer_.x_bytes,
                                      std::min(block, plan_.columns - column),
                                      y + (group * plan_.columns + column) * reducer_.y_bytes, checkpoints);
                     }
                   });
  }

 private:
  static constexpr int64_t kTotals = 1024;  ///< The number of accumulators at a time.
  static constexpr int64_t kShortRow = 32;
  static constexpr size_t kMostBytes = 8;  ///< The largest size of an accumulator.
  static_assert(kCastBlock >= kTotals);

  bool has_short_rows() const {
    return plan_.columns == 1 && plan_.reduced.size() == 1 && plan_.rows > 0 && plan_.rows <= kShortRow;
  }

  /// Reduces contiguous rows of a few elements. It transposes groups of rows, so that each row becomes a column.
  void reduce_short_rows(Executor& executor, const std::byte* x, std::byte* y) const {
    parallel_items(executor, plan_.outputs(), plan_.rows, [&](int64_t first, int64_t end, int) {
      alignas(64) std::byte converted[kCastBlock * kMostBytes], columns[kCastBlock * kMostBytes];
      alignas(64) std::byte totals[kTotals * kMostBytes];
      const int64_t step = std::min(kTotals, kCastBlock / plan_.rows);
      for (; first < end; first += step) {
        const int64_t n = std::min(step, end - first);
        const std::byte* rows = x + first * plan_.rows * reducer_.x_bytes;
        if (!reducer_.convert.empty()) {
          convert_block(reducer_.convert, rows, converted, n * plan_.rows);
          rows = converted;
        }
        reducer_.transpose(rows, n, plan_.rows, plan_.rows, columns, n);
        reducer_.begin(totals, n);
        reducer_.reduce.columns(columns, plan_.rows, n, n, totals);
        reducer_.finish(totals, n, plan_.count(), y + first * reducer_.y_bytes);
      }
    });
  }

  /// Reduces outputs that each consist of one or several rows of contiguous elements.
  void reduce_rows(Executor& executor, const std::byte* x, std::byte* y) const {
    parallel_items(executor, plan_.outputs(), plan_.count(), [&](int64_t first, int64_t end, int) {
      alignas(64) std::byte totals[kTotals * kMostBytes];
      Checkpoints checkpoints;
      for (; first < end; first += kTotals) {
        const int64_t n = std::min(kTotals, end - first);
        reducer_.begin(totals, n);
        for (int64_t i = 0; i < n; ++i) {
          reduce_row(x + plan_.kept.offset(first + i) * reducer_.x_bytes, totals + i * reducer_.total_bytes,
                     checkpoints);
        }
        reducer_.finish(totals, n, plan_.count(), y + first * reducer_.y_bytes);
      }
    });
  }

  void reduce_row(const std::byte* x, std::byte* total, Checkpoints& checkpoints) const {
    for (int64_t j = 0; j < plan_.reduced.size(); ++j) {
      const std::byte* part = x + plan_.reduced.offset(j) * reducer_.x_bytes;
      if (reducer_.convert.empty()) {
        reducer_.reduce.row(part, plan_.rows, total);
        checkpoints.add(plan_.rows);
        continue;
      }
      alignas(64) std::byte converted[kCastBlock * kMostBytes];
      for (int64_t i = 0; i < plan_.rows; i += kCastBlock) {
        const int64_t n = std::min(kCastBlock, plan_.rows - i);
        convert_block(reducer_.convert, part + i * reducer_.x_bytes, converted, n);
        reducer_.reduce.row(converted, n, total);
        checkpoints.add(n);
      }
    }
  }

  /// Reduces n outputs that are adjacent columns.
  void reduce_columns(const std::byte* x, int64_t n, std::byte* y, Checkpoints& checkpoints) const {
    alignas(64) std::byte totals[kTotals * kMostBytes];
    reducer_.begin(totals, n);
    for (int64_t j = 0; j < plan_.reduced.size(); ++j) {
      add_part(x + plan_.reduced.offset(j) * reducer_.x_bytes, n, totals, checkpoints);
    }
    reducer_.finish(totals, n, plan_.count(), y);
  }

  void add_part(const std::byte* x, int64_t n, std::byte* totals, Checkpoints& checkpoints) const {
    const int64_t pitch = plan_.columns * reducer_.x_bytes;
    if (reducer_.convert.empty()) {
      return checkpoints.in_parts(plan_.rows, n, [&](int64_t r, int64_t end) {
        reducer_.reduce.columns(x + r * pitch, end - r, plan_.columns, n, totals);
      });
    }
    alignas(64) std::byte converted[kCastBlock * kMostBytes];
    const int64_t step = kCastBlock / n;
    for (int64_t r = 0; r < plan_.rows; r += step) {
      const int64_t rows = std::min(step, plan_.rows - r);
      for (int64_t i = 0; i < rows; ++i) {
        convert_block(reducer_.convert, x + (r + i) * pitch, converted + i * n * reducer_.total_bytes, n);
      }
      reducer_.reduce.columns(converted, rows, n, n, totals);
      checkpoints.add(rows * n);
    }
  }

  ReducePlan plan_;
  NumberReducer reducer_;
};

}  // namespace

KernelPtr make_number_reduction(const ReducePlan& plan, NumberReducer reducer) {
  return std::make_unique<NumberReduceKernel>(plan, std::move(reducer));
}

}  // namespace linnet
