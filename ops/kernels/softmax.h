#pragma once

#include <cstdint>

namespace linnet {

/// Softmax e^(x - max) / sum e^(x - max) and its logarithm x - max - log(sum), in float32. x == y is allowed. NaN or
/// +infinity anywhere in a row makes the whole row NaN, as does a row of -infinity only. The logarithm of the sum of
/// powers is infinite where its value is.
struct SoftmaxKernels {
  /// Over each of `rows` contiguous rows of n values.
  using Rows = void (*)(const float* x, float* y, int64_t rows, int64_t n);
  /// Over each of `columns` adjacent columns: over the n values x[i * pitch + column].
  using Columns = void (*)(const float* x, float* y, int64_t n, int64_t pitch, int64_t columns);

  /// Returns log(sum of e^x) of n contiguous values.
  using LogSum = float (*)(const float* x, int64_t n);
  /// The same for columns. y: one value for each column.
  using LogSums = void (*)(const float* x, float* y, int64_t n, int64_t pitch, int64_t columns);

  /// Over `rows` rows at a distance of `pitch` values, in place.
  using PitchedRows = void (*)(float* x, int64_t rows, int64_t n, int64_t pitch);

  Rows rows;
  PitchedRows pitched_rows;
  Rows log_rows;
  Columns columns;
  Columns log_columns;
  LogSum log_sum_exp_row;
  LogSums log_sum_exp_columns;
};

}  // namespace linnet
