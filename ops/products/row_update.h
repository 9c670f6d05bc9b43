#pragma once

#include "kernels/gemm.h"
#include "linnet/op.h"
#include "partition/checkpoints.h"

namespace linnet {

/// Returns the position of the first element of largest magnitude of n > 0. NaN only counts at position 0.
int64_t largest_magnitude(const double* x, int64_t n);

/// Adds multiples of some rows of a matrix of doubles to its other rows, as a matrix product: the part of an
/// elimination that takes most of the time.
class RowUpdate {
 public:
  RowUpdate() = default;
  /// columns, depth: the most columns of a row, and the most rows that are added. pitch: the distance of rows.
  RowUpdate(int64_t columns, int64_t depth, int64_t pitch, Isa isa);

  size_t scratch_bytes() const { return scratch_bytes_; }

  struct Job {
    const double* factors;  ///< element (i, k) at factors[i * factors_pitch + k]
    int64_t factors_pitch;
    const double* from;  ///< `depth` rows that are added
    int64_t depth, columns;
    double* to;
    int64_t rows;
  };
  /// Adds row k of `from`, multiplied by factor (i, k), to row i of `to`, for all i and k.
  void add(const Job& job, std::byte* scratch, Checkpoints& checkpoints) const;

 private:
  GemmKernels<GemmF64> product_{};
  int64_t pitch_ = 0;
  size_t pointers_offset_ = 0, scratch_bytes_ = 0;
};

}  // namespace linnet
