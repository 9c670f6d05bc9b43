#pragma once

#include <vector>

#include "linnet/shape.h"

namespace linnet {

/// The order in which to traverse an output and the inputs that are broadcast to it: in rows of contiguous elements,
/// along which an input either advances with the output or stays at one element. Dims that all inputs treat equally are
/// merged.
struct BroadcastPlan {
  /// Throws Error(kShape) if an input does not broadcast to the output (NumPy's rules).
  BroadcastPlan(const Shape& output, const std::vector<Shape>& inputs);

  struct Input {
    bool dense = true;             ///< has the output's elements in the output's order
    bool scalar = false;           ///< stays at one element along a row
    std::vector<int64_t> strides;  ///< in elements, per outer dim
  };

  int64_t elements;                 ///< of the output
  int64_t row;                      ///< elements per row
  std::vector<int64_t> outer_dims;  ///< of the grid of rows, outermost first
  std::vector<Input> inputs;
};

/// A position in the rows of a plan, with the offsets of each input's elements for that row.
class RowCursor {
 public:
  RowCursor(const BroadcastPlan& plan, int64_t row);
  /// The offset of the first element of input k for this row.
  int64_t offset(int k) const;
  void advance();
  /// The number of rows from this one on along the innermost outer dim, on which every input has a constant stride.
  int64_t rows_left() const;
  /// Advances by at most rows_left().
  void advance(int64_t rows);

 private:
  const BroadcastPlan& plan_;
  std::array<int64_t, kMaxRank> position_{};
};

}  // namespace linnet
