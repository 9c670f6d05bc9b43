#pragma once

#include <cstddef>

#include "elementwise/broadcast_plan.h"
#include "elementwise/elementwise.h"

namespace linnet {

/// Blocks of some hundred elements of inputs with short rows. Copies inputs that are not in the order of the output. A
/// block consists of whole periods: the rows along inner dims that fit in one block. An input that is repeated by the
/// dims outside restarts with each period, and is copied once.
class BroadcastBlocks {
 public:
  static bool suit(const BroadcastPlan& plan);

  /// element_bytes: the size of an element of each input.
  BroadcastBlocks(const BroadcastPlan& plan, const std::vector<size_t>& element_bytes);

  int64_t periods() const;
  int64_t period_elements() const { return period_rows_ * plan_.row; }
  /// Scratch of each worker.
  size_t scratch_bytes() const { return scratch_bytes_; }

  /// Iterates over the blocks of some periods.
  class Reader {
   public:
    /// operands: one for each input; next() sets them to the next block.
    Reader(const BroadcastBlocks& rows, const std::byte* const* x, std::byte* scratch, int64_t first_period,
           int64_t last_period, Operand* operands);
    /// Advances, and returns the number of elements of the next block; 0 after the last one.
    int64_t next();

   private:
    void write(size_t k, int64_t count) const;

    const BroadcastBlocks& rows_;
    const std::byte* const* x_;
    RowCursor cursor_;
    int64_t row_, end_;
    Operand* operands_;
    bool begun_ = false;
  };

 private:
  enum class Kind { kDense, kScalar, kRepeated, kRows };  ///< kRepeated: the same in every period

  struct Input {
    Kind kind;
    size_t element_bytes;
    size_t room;  ///< the offset of its copy in scratch memory
    void (*write)(const std::byte* from, int64_t stride, int64_t count, int64_t row, bool scalar, std::byte* to);
  };

  BroadcastPlan plan_;
  std::vector<Input> inputs_;
  size_t scratch_bytes_ = 0;
  int64_t period_rows_ = 1, block_rows_ = 1;
};

}  // namespace linnet
