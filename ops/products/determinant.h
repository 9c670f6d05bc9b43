#pragma once

#include "kernels/numbers.h"
#include "products/row_update.h"

namespace linnet {

/// Determinants of n x n matrices, by Gaussian elimination with the columns exchanged: the pivot is the largest element
/// of its row, so that elements that are read and written together are contiguous. In large matrices some rows are
/// eliminated at a time, and a matrix product updates what is below and right of them.
class Determinant {
 public:
  Determinant(int64_t n, Isa isa);

  /// The distance in elements from one row to the next of the matrix that get() reads.
  int64_t pitch() const { return pitch_; }
  /// The bytes of the matrix, which comes first, and of what get() needs in addition.
  size_t scratch_bytes() const { return scratch_bytes_; }
  /// Returns the determinant of the matrix at the beginning of scratch. The matrix is overwritten.
  double get(std::byte* scratch, Checkpoints& checkpoints) const;

 private:
  double eliminate(double* a, int64_t first, int64_t end, Checkpoints& checkpoints) const;
  void update(double* a, int64_t first, int64_t end, std::byte* scratch, Checkpoints& checkpoints) const;

  decltype(NumberKernels::multiply_add_rows_f64) add_rows_;
  int64_t n_, rows_;  ///< rows_: the rows that are eliminated together
  int64_t pitch_;
  RowUpdate update_;
  size_t update_offset_ = 0, scratch_bytes_ = 0;
};

}  // namespace linnet
