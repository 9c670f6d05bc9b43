#pragma once

#include <cstdint>

#include "kernels/epilogue.h"
#include "linnet/half.h"

namespace linnet {

struct ByteBlock;  // kernels/requantize.h

/// What a matrix product multiplies: the elements of A and B, what sums are taken in, the elements of Y. kUnit values
/// that follow one another in a row of A are multiplied together: B keeps as many of a column side by side.
template <class A_, class B_, class Sum_, class Y_, int kUnit_>
struct GemmType {
  using A = A_;
  using B = B_;
  using Sum = Sum_;
  using Y = Y_;
  static constexpr int kUnit = kUnit_;
};

/// Of one floating type.
template <class T>
using GemmReal = GemmType<T, T, T, T, 1>;
using GemmF32 = GemmReal<float>;
using GemmF64 = GemmReal<double>;
/// GemmHalf, GemmBFloat16: weights that are widened as they are read.
#define LINNET_GEMM_WEIGHTS(name, B) using name = GemmType<float, B, float, float, 1>;
#include "kernels/gemm_weights.inc"
#undef LINNET_GEMM_WEIGHTS
/// Pairs of bfloat16, whose products are summed in float32; subnormal numbers count as zero.
using GemmBFloat16Pairs = GemmType<BFloat16, BFloat16, float, float, 2>;
/// Pairs of 16-bit integers; sums wrap modulo 2^32.
using GemmS16 = GemmType<int16_t, int16_t, int32_t, int32_t, 2>;
/// Fours of bytes, those of A unsigned; sums wrap modulo 2^32.
using GemmU8 = GemmType<uint8_t, int8_t, int32_t, int32_t, 4>;

/// Vectors of the widest panel.
inline constexpr int kWidestPanel = 4;
/// Rows of the highest strip of any family.
inline constexpr int kMostStripRows = 32;

/// How the columns of B are cut into panels of 1 to kWidestPanel vectors. Panels of equal width follow one another. The
/// last one may be filled in part.
struct GemmPanels {
  struct Run {
    int width = 0;  ///< vectors of each panel
    int64_t count = 0;
  };

  int64_t columns = 0;
  int lanes = 1;  ///< columns of a vector
  Run runs[kWidestPanel];

  // Always inlined: SIMD units must not emit shared copies.
  [[gnu::always_inline]] int64_t count() const {
    int64_t panels = 0;
    for (const Run& run : runs) panels += run.count;
    return panels;
  }
  /// Vectors in front of panel `panel`, which may be count().
  [[gnu::always_inline]] int64_t vectors_before(int64_t panel) const {
    int64_t vectors = 0;
    for (const Run& run : runs) {
      const int64_t here = panel < run.count ? panel : run.count;
      vectors += here * run.width;
      panel -= here;
    }
    return vectors;
  }
  [[gnu::always_inline]] int64_t first_column(int64_t panel) const { return vectors_before(panel) * lanes; }
  /// The first column behind the panels [0, panel).
  [[gnu::always_inline]] int64_t end_column(int64_t panel) const {
    const int64_t end = first_column(panel);
    return end < columns ? end : columns;
  }
  /// The run that a panel is of, and the panels of the run from this one on.
  [[gnu::always_inline]] Run run_from(int64_t panel) const {
    int i = 0;
    for (; i + 1 < kWidestPanel && panel >= runs[i].count; ++i) panel -= runs[i].count;
    return {runs[i].width, runs[i].count - panel};
  }
};

/// The product of a strip of rows of A and some panels of B:
/// y[i][j] = epilogue(sum over t < taps, k < depth of a[t * rows + i][k] * B[t][k][j]).
/// A is given by pointers, so that one kernel serves matrices, convolution windows and sampled rows.
template <class Type>
struct GemmStrip {
  int rows = 0;  ///< in [1, strip_rows of the family]
  int64_t taps = 1;
  int64_t depth = 0;
  /// taps * rows pointers to depth contiguous values each, which are readable up to the next multiple of kUnit.
  const typename Type::A* const* a = nullptr;
  int64_t a_offset = 0;  ///< values added to each of them

  const GemmPanels* panels = nullptr;
  int64_t panel = 0, panel_end = 0;  ///< those that are multiplied
  /// Panels [tap][ceil(depth / kUnit)][column][kUnit]; columns beyond the last, and values beyond the depth, are zero.
  const typename Type::B* b = nullptr;
  int64_t b_rows = 0;  ///< of a whole panel, each of kUnit values of its columns
  int64_t b_row = 0;   ///< the first that is multiplied

  /// What is asked of memory meanwhile, for what is multiplied next: rows of panels from ahead_panel on, from ahead_row
  /// on. Each of the strips that are multiplied before asks for its part, so that memory answers while they multiply.
  int64_t ahead_panel = -1;  ///< -1: nothing
  int64_t ahead_row = 0;
  int64_t ahead_part = 0, ahead_parts = 1;  ///< which of those strips this is, and how many they are

  typename Type::Y* y = nullptr;               ///< the first row's value of the first column of `panel`
  int64_t y_pitch = 0;                         ///< values from one row of y to the next
  bool accumulate = false;                     ///< the sums are added to the values of y
  BasicEpilogue<typename Type::Y> epilogue{};  ///< bias, slope and residual begin at y
  /// Of families that store bytes and panels of kWidestPanel whole vectors: where the sums go instead of y, and what
  /// becomes of them; null: they go to y.
  const ByteBlock* bytes = nullptr;
};

/// The tiles that compute a product, whose sums stay in registers.
struct TileFamily {
  int lanes;                    ///< columns of a vector
  int tile_rows[kWidestPanel];  ///< of the highest tile, by the width of a panel less one; 0: none is that wide
  int strip_rows;               ///< of the highest strip, at most kMostStripRows
  int unroll[kWidestPanel];     ///< steps of the sum for which a row's address is read once
  int held_rows;                ///< whose addresses registers hold; those of the others come from memory
  int unit;                     ///< values of a row that are multiplied together
  int value_bytes;              ///< of one value of B
  bool exact;                   ///< sums are integers, however long
};

/// The sum over (t, k) is taken in ascending order for every element, whatever the position and the number of rows:
/// results do not depend on how the work is split.
template <class Type>
struct GemmKernels : TileFamily {
  void (*strip)(const GemmStrip<Type>& strip);  ///< null where the instruction set has no fast way
  /// Of GemmU8: right only where 255 times the positive ones of two neighbours in a column of B, and 255 times the
  /// negative ones, do not leave 16 bits.
  bool narrow;
  /// Of GemmU8: whether strips take GemmStrip::bytes.
  bool stores_bytes;
  /// Of GemmU8: what is subtracted from the values of A.
  int32_t a_shift;
  /// Multiplies and adds in registers only, as fast as the units can. The number of multiply-adds, in proportion to
  /// `rounds`.
  int64_t (*saturate)(int64_t rounds);
};

}  // namespace linnet
