#pragma once

#include <cstddef>

#include "elementwise/broadcast_plan.h"
#include "elementwise/elementwise.h"

namespace linnet {

/// Inputs of short rows, some hundred elements at a time: what does not lie in the order of the output is copied so.
/// A block consists of whole periods: the rows along inner dims that fit into one. An input that the dims outside
/// repeat begins anew with each period, and is copied once.
class BroadcastBlocks {
 public:
  static bool suit(const BroadcastPlan& plan);

  /// element_bytes: of each input.
  BroadcastBlocks(const BroadcastPlan& plan, const std::vector<size_t>& element_bytes);

  int64_t periods() const;
  int64_t period_elements() const { return period_rows_ * plan_.row; }
  /// Of a worker.
  size_t scratch_bytes() const { return scratch_bytes_; }

  /// Goes over the blocks of some periods.
  class Reader {
   public:
    /// operands: one for each input, of the block that next() went to.
    Reader(const BroadcastBlocks& rows, const std::byte* const* x, std::byte* scratch, int64_t first_period,
           int64_t last_period, Operand* operands);
    /// The elements of the next block; 0 behind the last one.
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
    size_t room;  ///< where in scratch memory it is copied to
    void (*write)(const std::byte* from, int64_t stride, int64_t count, int64_t row, bool scalar, std::byte* to);
  };

  BroadcastPlan plan_;
  std::vector<Input> inputs_;
  size_t scratch_bytes_ = 0;
  int64_t period_rows_ = 1, block_rows_ = 1;
};

}  // namespace linnet
