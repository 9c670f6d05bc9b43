#pragma once

#include <cstdint>

namespace linnet {

/// Operations on runs of bytes: table look-up, sums, and widening to the integers that products multiply.
struct ByteRowKernels {
  /// y[i] = table[x[i]]; x == y is allowed.
  void (*look_up)(const uint8_t* x, const uint8_t* table, uint8_t* y, int64_t n);
  /// sums[i] = the sum of row i of x. Rows are contiguous and have n bytes each.
  void (*sum_rows)(const uint8_t* x, int64_t rows, int64_t n, int32_t* sums);
  /// y[i] = (x[i] ^ flip) - zero.
  void (*widen)(const uint8_t* x, int64_t n, uint8_t flip, int16_t zero, int16_t* y);
};

}  // namespace linnet
