#pragma once

#include <cstdint>

namespace linnet {

/// Transposition of a matrix of fixed-size elements: y[c * ldy + r] = x[r * ldx + c] for r < rows, c < cols.
/// Pitches are in elements; x and y do not overlap.
struct TransposeKernels {
  void (*bits8)(const void* x, int64_t rows, int64_t cols, int64_t ldx, void* y, int64_t ldy);
  void (*bits16)(const void* x, int64_t rows, int64_t cols, int64_t ldx, void* y, int64_t ldy);
  void (*bits32)(const void* x, int64_t rows, int64_t cols, int64_t ldx, void* y, int64_t ldy);
  void (*bits64)(const void* x, int64_t rows, int64_t cols, int64_t ldx, void* y, int64_t ldy);
};

}  // namespace linnet
