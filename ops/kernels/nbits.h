#pragma once

#include <cstddef>
#include <cstdint>

namespace linnet {

/// Where the zero points of weights of few bits come from: 2^(bits - 1) for all, a byte or a float for each block of a
/// column.
enum class NBitsZeros { kMiddle, kBytes, kFloats };

/// How a matrix B[depth, columns] of codes lies when it is packed: panels of as many columns as a vector has lanes,
/// each a sequence of blocks of the depth, each [codes][scales][zero points]. Weights are (code - zero) * scale. Codes:
/// vectors of 4 * lanes bytes for every 32 / bits values of the depth; byte 4 * column + j has the values j, 4 + j, 8 +
/// j ... of the column, the first in the lowest bits. Scales: one for each column.
struct NBitsForm {
  int bits = 4;    ///< 2, 4 or 8
  int block = 32;  ///< values of the depth, a power of two from 16 to kLongestNBitsBlock
  int lanes = 1;   ///< columns of a panel
  int64_t blocks = 0;
  bool half_scales = false;  ///< float16, which all of them are
  NBitsZeros zeros = NBitsZeros::kMiddle;

  // Always inlined: SIMD units must not emit shared copies.
  [[gnu::always_inline]] int code_bytes() const { return block * bits / 8 * lanes; }
  [[gnu::always_inline]] int scale_bytes() const { return lanes * (half_scales ? 2 : 4); }
  [[gnu::always_inline]] int zero_bytes() const {
    return zeros == NBitsZeros::kMiddle ? 0 : lanes * (zeros == NBitsZeros::kBytes ? 1 : 4);
  }
  [[gnu::always_inline]] int block_bytes() const { return code_bytes() + scale_bytes() + zero_bytes(); }
};

/// Sums over a block of bytes fit 24 bits, those of floats stay short.
inline constexpr int kLongestNBitsBlock = 256;

/// Some rows of A times one panel of B: y[i][j] = sum over the depth of a[i] * b[j], plus bias[j].
/// For every element the sum over a block begins at zero; those of the blocks are added in ascending order.
template <class A>
struct NBitsTile {
  const NBitsForm* form = nullptr;
  int rows = 0;                     ///< from 1 to NBitsKernels::rows
  const A* a = nullptr;             ///< [depth / unit][row][unit], zeros behind the depth; unit: 4 for bytes, else 1
  const float* a_scales = nullptr;  ///< [block][row], of bytes
  const int32_t* a_sums = nullptr;  ///< [block][row], of bytes: see NBitsByteKernels::quantize
  const std::byte* b = nullptr;     ///< the panel
  const float* bias = nullptr;      ///< of the panel's columns; may be null
  float* y = nullptr;
  int64_t y_pitch = 0;
  int64_t columns = 0;  ///< of the panel that y has
};

/// Some rows of A times some blocks of one or two panels of B that were unpacked: for every element the sum over each
/// block is added to `totals`, as an NBitsTile adds it.
struct NBitsUnpackedTile {
  const NBitsForm* form = nullptr;
  int rows = 0;    ///< from 1 to NBitsFloatKernels::unpacked_rows
  int panels = 1;  ///< or 2
  int64_t blocks = 0;
  const float* a = nullptr;       ///< [depth][row], from the first of the blocks on
  const float* codes = nullptr;   ///< [depth][panels * lanes], less their zero points
  const float* scales = nullptr;  ///< [block][panels * lanes]
  float* totals = nullptr;        ///< [row][panels * lanes]
};

/// Products of float32 and weights of few bits, which are widened in registers, or unpacked for many rows.
struct NBitsFloatKernels {
  int lanes;
  int rows;           ///< of the highest tile
  int rows_of_4bits;  ///< of 4-bit weights with zero points that are no floats, which are the most common
  bool half_scales;   ///< whether a form may have them
  void (*multiply)(const NBitsTile<float>& tile);

  int unpacked_rows;
  /// Unpacks so many blocks of a panel to rows of `pitch` floats.
  void (*unpack)(const NBitsForm& form, const std::byte* b, int64_t blocks, int64_t pitch, float* codes, float* scales);
  void (*multiply_unpacked)(const NBitsUnpackedTile& tile);

  [[gnu::always_inline]] int rows_of(const NBitsForm& form) const {
    return form.bits == 4 && form.zeros != NBitsZeros::kFloats ? rows_of_4bits : rows;
  }
};

/// The same of rows quantised to int8: sums over blocks are exact, equal for all instruction sets.
struct NBitsByteKernels {
  int rows;
  int offset;  ///< codes of 8 bits are multiplied less this

  /// Quantises a row of n values, block by block: scales[i * rows] = the largest magnitude of block i / 127, its values
  /// round to even, sums[i * rows] = their sum times `factor`. A block that is not finite is zeros with the scale NaN.
  /// q: as NBitsTile::a of a tile of `rows` rows; zeros follow to the end of the last block.
  void (*quantize)(const float* a, int64_t n, int block, int rows, int32_t factor, int8_t* q, float* scales,
                   int32_t* sums);
  /// a_sums are those times the factor of the form.
  void (*multiply)(const NBitsTile<int8_t>& tile);
  /// By which a form multiplies the sums of quantised values.
  [[gnu::always_inline]] int32_t factor(const NBitsForm& form) const {
    if (form.zeros != NBitsZeros::kMiddle) return 1;
    return (form.bits == 8 ? offset : 0) - (1 << (form.bits - 1));
  }
};

}  // namespace linnet
