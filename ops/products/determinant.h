#pragma once

#include "kernels/gemm.h"
#include "linnet/op.h"
#include "partition/checkpoints.h"

namespace linnet {

/// Determinants of n x n matrices, by Gaussian elimination with row pivots. In large matrices some columns are
/// eliminated at a time, and a matrix product updates what is right of them.
class Determinant {
 public:
  Determinant(int64_t n, const GemmKernels<GemmF64>& kernels);

  /// The distance in elements from one row to the next of the matrix that get() reads.
  int64_t pitch() const { return pitch_; }
  /// The bytes of the matrix, which comes first, and of what get() needs in addition.
  size_t scratch_bytes() const { return scratch_bytes_; }
  /// Returns the determinant of the matrix at the beginning of scratch. The matrix is overwritten.
  double get(std::byte* scratch, Checkpoints& checkpoints) const;

 private:
  /// Some columns that are eliminated together, from the row in which the first one crosses the diagonal.
  struct Columns {
    int64_t first = 0, count = 0;
    double* panel = nullptr;  ///< [n - first, count], with the negated factors below the diagonal
  };

  double blocked(double* a, std::byte* scratch, Checkpoints& checkpoints) const;
  void update(double* a, const Columns& columns, std::byte* scratch, Checkpoints& checkpoints) const;

  GemmKernels<GemmF64> kernels_;
  int64_t n_, pitch_;
  size_t panel_offset_ = 0, packed_offset_ = 0, pointers_offset_ = 0, scratch_bytes_ = 0;
};

}  // namespace linnet
