#pragma once

#include <cstddef>
#include <cstdint>

namespace linnet {

/// The kind of zero points of weights of few bits: 2^(bits - 1) for all, or a byte or a float for each block of a
/// column.
enum class NBitsZeros { kMiddle, kBytes, kFloats };

/// The layout of a packed matrix B[depth, columns] of codes. It is divided into panels of as many columns as a vector
/// has lanes. A panel is a sequence of blocks of the depth, each [codes][scales][zero points]. Weights are (code -
/// zero) * scale.
/// Codes: vectors of 4 * lanes bytes for every 32 / bits values of the depth. Byte 4 * column + j holds the values j, 4
/// + j, 8 + j ... of the column, the first one in the lowest bits.
/// Scales: one for each column.
struct NBitsForm {
  int bits = 4;    ///< 2, 4 or 8
  int block = 32;  ///< values of the depth, a power of two from 16 to kLongestNBitsBlock
  int lanes = 1;   ///< columns of a panel
  int64_t blocks = 0;
  bool half_scales = false;  ///< whether scales are float16, which represents all of them exactly
  NBitsZeros zeros = NBitsZeros::kMiddle;

  // Always inlined: SIMD units must not emit shared copies.
  [[gnu::always_inline]] int code_bytes() const { return block * bits / 8 * lanes; }
  [[gnu::always_inline]] int scale_bytes() const { return lanes * (half_scales ? 2 : 4); }
  [[gnu::always_inline]] int zero_bytes() const {
    return zeros == NBitsZeros::kMiddle ? 0 : lanes * (zeros == NBitsZeros::kBytes ? 1 : 4);
  }
  [[gnu::always_inline]] int block_bytes() const { return code_bytes() + scale_bytes() + zero_bytes(); }
};

/// The limit keeps sums over a block of bytes within 24 bits and sums of floats short.
inline constexpr int kLongestNBitsBlock = 256;

/// The product of some rows of A and one panel of B: y[i][j] = sum over the depth of a[i] * b[j], plus bias[j]. For
/// every element the sum over a block starts at zero, and the sums of the blocks are added in ascending order.
template <class A>
struct NBitsTile {
  const NBitsForm* form = nullptr;
  int rows = 0;                     ///< from 1 to NBitsKernels::rows
  const A* a = nullptr;             ///< [depth / unit][row][unit], zeros beyond the depth; unit: 4 for bytes, else 1
  const float* a_scales = nullptr;  ///< [block][row]; for bytes only
  const int32_t* a_sums = nullptr;  ///< [block][row]; for bytes only, see NBitsByteKernels::quantize
  const std::byte* b = nullptr;     ///< the panel
  const float* bias = nullptr;      ///< for the panel's columns; may be null
  float* y = nullptr;
  int64_t y_pitch = 0;
  int64_t columns = 0;  ///< columns of the panel that y has
};

/// The product of some rows of A and some unpacked blocks of one or two panels of B. For every element the sum over
/// each block is added to `totals` in the order of NBitsTile.
struct NBitsUnpackedTile {
  const NBitsForm* form = nullptr;
  int rows = 0;    ///< from 1 to NBitsFloatKernels::unpacked_rows
  int panels = 1;  ///< 1 or 2
  int64_t blocks = 0;
  const float* a = nullptr;       ///< [depth][row], beginning at the first of the blocks
  const float* codes = nullptr;   ///< [depth][panels * lanes], with their zero points subtracted
  const float* scales = nullptr;  ///< [block][panels * lanes]
  float* totals = nullptr;        ///< [row][panels * lanes]
};

/// Products of float32 and weights of few bits, which are widened in registers, or unpacked for many rows.
struct NBitsFloatKernels {
  int lanes;
  int rows;           ///< rows of the highest tile
  int rows_of_4bits;  ///< the same for 4-bit weights without float zero points, which are the most common
  bool half_scales;   ///< whether a form may have float16 scales
  void (*multiply)(const NBitsTile<float>& tile);

  int unpacked_rows;
  /// Unpacks `blocks` blocks of a panel to rows of `pitch` floats.
  void (*unpack)(const NBitsForm& form, const std::byte* b, int64_t blocks, int64_t pitch, float* codes, float* scales);
  void (*multiply_unpacked)(const NBitsUnpackedTile& tile);

  [[gnu::always_inline]] int rows_of(const NBitsForm& form) const {
    return form.bits == 4 && form.zeros != NBitsZeros::kFloats ? rows_of_4bits : rows;
  }
};

/// The same for rows quantised to int8. Sums over blocks are exact and equal for all instruction sets.
struct NBitsByteKernels {
  int rows;
  int offset;  ///< subtracted from codes of 8 bits before they are multiplied

  /// Quantises a row of n values, block by block. scales[i * rows] is 1/127 of the largest magnitude of block i. The
  /// values are rounded to nearest, ties to even. sums[i * rows] is their sum times `factor`. A block that is not
  /// finite becomes zeros with a scale of NaN. q is laid out like NBitsTile::a of a tile of `rows` rows; zeros fill up
  /// the last block.
  void (*quantize)(const float* a, int64_t n, int block, int rows, int32_t factor, int8_t* q, float* scales,
                   int32_t* sums);
  /// The tile's a_sums must be multiplied by the factor of the form.
  void (*multiply)(const NBitsTile<int8_t>& tile);
  /// Returns the factor of the sums of quantised values for a form.
  [[gnu::always_inline]] int32_t factor(const NBitsForm& form) const {
    if (form.zeros != NBitsZeros::kMiddle) return 1;
    return (form.bits == 8 ? offset : 0) - (1 << (form.bits - 1));
  }
};

}  // namespace linnet
