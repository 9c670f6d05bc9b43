#pragma once

#include <cstdint>
#include <limits>

namespace linnet {

/// What is applied to the sums of a matrix product or convolution, of type T, before they are stored: y =
/// activation(min(high, max(low, prelu(x + bias + residual)))). Rows consist of contiguous columns (channels). NaN
/// stays NaN.
template <class T>
struct BasicEpilogue {
  using RowFunction = void (*)(const T* x, T* y, int64_t n, float alpha, float beta);

  static constexpr float kUnbounded = std::numeric_limits<float>::infinity();

  const T* bias = nullptr;      ///< one value per column; may be null
  const T* residual = nullptr;  ///< first value of the first row; may be null
  int64_t residual_pitch = 0;   ///< distance in values from one row of the residual to the next
  const T* slope = nullptr;     ///< for prelu, one value per column: negative sums are multiplied by it; may be null
  float low = -kUnbounded;
  float high = kUnbounded;
  RowFunction activation = nullptr;  ///< called with x == y; may be null
  float alpha = 0;
  float beta = 0;

  // Always inlined: SIMD units must not emit shared copies.
  [[gnu::always_inline]] bool clamps() const { return low > -kUnbounded || high < kUnbounded; }

  /// Returns the epilogue for the part of the output that begins at this row and column.
  [[gnu::always_inline]] BasicEpilogue at(int64_t row, int64_t column) const {
    BasicEpilogue part = *this;
    if (bias) part.bias = bias + column;
    if (slope) part.slope = slope + column;
    if (residual) part.residual = residual + row * residual_pitch + column;
    return part;
  }

  /// Returns the epilogue of one block of the sum. The first block adds the residual, over which it may write; the last
  /// one does everything else.
  [[gnu::always_inline]] BasicEpilogue of_block(bool first, bool last) const {
    BasicEpilogue part = last ? *this : BasicEpilogue();
    part.residual = first ? residual : nullptr;
    part.residual_pitch = residual_pitch;
    return part;
  }
};

using Epilogue = BasicEpilogue<float>;

}  // namespace linnet
