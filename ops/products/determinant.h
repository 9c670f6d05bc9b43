#pragma once

#include "kernels/gemm.h"
#include "linnet/op.h"
#include "partition/checkpoints.h"

namespace linnet {

/// Determinants of matrices of n x n, by Gaussian elimination with row pivots. Of large ones some columns at a time are
/// eliminated, and what is right of them is updated by a matrix product.
class Determinant {
 public:
  Determinant(int64_t n, const GemmKernels<GemmF64>& kernels);

  /// Elements from one row to the next of the matrix that get() takes.
  int64_t pitch() const { return pitch_; }
  /// The matrix and what get() needs besides, the matrix first.
  size_t scratch_bytes() const { return scratch_bytes_; }
  /// The determinant of the matrix at the beginning of scratch, which is overwritten.
  double get(std::byte* scratch, Checkpoints& checkpoints) const;

 private:
  /// Some columns that are eliminated together, from the row on that the first of them meets the diagonal.
  struct Columns {
    int64_t first = 0, count = 0;
    double* panel = nullptr;  ///< [n - first, count]: below the diagonal the negative factors
  };

  double blocked(double* a, std::byte* scratch, Checkpoints& checkpoints) const;
  void update(double* a, const Columns& columns, std::byte* scratch, Checkpoints& checkpoints) const;

  GemmKernels<GemmF64> kernels_;
  int64_t n_, pitch_;
  size_t panel_offset_ = 0, packed_offset_ = 0, pointers_offset_ = 0, scratch_bytes_ = 0;
};

}  // namespace linnet
