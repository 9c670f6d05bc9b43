#pragma once

#include <vector>

#include "linnet/shape.h"

namespace linnet {

/// How to walk over an output and the inputs that are broadcast to it: in rows of neighbouring elements, along each of
/// which an input either advances with the output or stands still. Dims that every input treats alike are merged.
struct BroadcastPlan {
  /// Throws Error(kShape) where an input does not broadcast to the output (NumPy's rules).
  BroadcastPlan(const Shape& output, const std::vector<Shape>& inputs);

  struct Input {
    bool dense = true;             ///< has the output's elements in the output's order
    bool scalar = false;           ///< stands still along a row
    std::vector<int64_t> strides;  ///< in elements, per outer dim
  };

  int64_t elements;                 ///< of the output
  int64_t row;                      ///< elements per row
  std::vector<int64_t> outer_dims;  ///< of the grid of rows, outermost first
  std::vector<Input> inputs;
};

/// A position in the rows of a plan, and where each input's elements for that row begin.
class RowCursor {
 public:
  RowCursor(const BroadcastPlan& plan, int64_t row);
  /// The first element of input k for this row.
  int64_t offset(int k) const;
  void advance();
  /// The rows from this one on that lie along the innermost outer dim, where every input has a stride of its own.
  int64_t rows_left() const;
  /// At most rows_left().
  void advance(int64_t rows);

 private:
  const BroadcastPlan& plan_;
  std::array<int64_t, kMaxRank> position_{};
};

}  // namespace linnet
