#pragma once

#include <span>
#include <vector>

#include "movement/copy.h"

namespace linnet {

/// The strides of a contiguous row-major tensor in elements, outermost first.
std::vector<int64_t> row_major_strides(std::span<const int64_t> extents);
inline std::vector<int64_t> row_major_strides(const Shape& shape) { return row_major_strides(shape.dims()); }

/// A copy between two strided arrays, planned once. For all indices i below `extents`:
///   y[y_offset + sum_d i[d] * y_strides[d]] = x[x_offset + sum_d i[d] * x_strides[d]]
/// Strides and offsets are in elements. Strides of x may be zero or negative. The elements of y are distinct.
class StridedCopy {
 public:
  StridedCopy(DType dtype, std::span<const int64_t> extents, std::span<const int64_t> x_strides,
              std::span<const int64_t> y_strides, int64_t x_offset = 0, int64_t y_offset = 0);

  void run(const Tensor& x, Tensor& y, Executor& executor) const;

 private:
  struct Loop {
    int64_t extent, x_stride, y_stride;
  };
  void add_loop(const Loop& loop);
  /// Makes the loop over short rows that follow each other in x the innermost one, where they are written to few
  /// places.
  void read_in_order();
  struct RowCursor;
  /// Copies at most `most` rows, repeats included, from the cursor on and advances it. Returns the number of rows
  /// copied.
  int64_t copy_rows(RowCursor& cursor, int64_t most) const;
  void repeat_row(const std::byte* x, std::byte* y, int64_t count) const;

  CopyRow copy_;
  int64_t width_;
  int64_t x_offset_, y_offset_;
  std::vector<Loop>
      loops_;  ///< The loops around rows, outermost first. Adjacent loops are merged if both arrays allow it.
  Loop row_{1, 1, 1};
  int64_t rows_ = 1;
  int64_t repeats_ = 1;  ///< The consecutive repeats of each row.
  bool whole_ = false;   ///< Whether rows are contiguous bytes.
};

}  // namespace linnet
