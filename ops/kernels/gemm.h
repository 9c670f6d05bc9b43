#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/epilogue.h"
#include "linnet/half.h"

namespace linnet {

struct ByteBlock;  // kernels/requantize.h

/// The types of a matrix product: of the elements of A and B, of the sums, and of the elements of Y. kUnit consecutive
/// values of a row of A are multiplied together, so B stores as many values of a column next to each other.
template <class A_, class B_, class Sum_, class Y_, int kUnit_>
struct GemmType {
  using A = A_;
  using B = B_;
  using Sum = Sum_;
  using Y = Y_;
  static constexpr int kUnit = kUnit_;
};

/// Products of one floating type.
template <class T>
using GemmReal = GemmType<T, T, T, T, 1>;
using GemmF32 = GemmReal<float>;
using GemmF64 = GemmReal<double>;
/// GemmHalf, GemmBFloat16: the weights are widened as they are read.
#define LINNET_GEMM_WEIGHTS(name, B) using name = GemmType<float, B, float, float, 1>;
#include "kernels/gemm_weights.inc"
#undef LINNET_GEMM_WEIGHTS
/// Pairs of bfloat16, whose products are summed in float32. Subnormal numbers count as zero.
using GemmBFloat16Pairs = GemmType<BFloat16, BFloat16, float, float, 2>;
/// Pairs of 16-bit integers. Sums wrap modulo 2^32.
using GemmS16 = GemmType<int16_t, int16_t, int32_t, int32_t, 2>;
/// Groups of four bytes, unsigned in A. Sums wrap modulo 2^32.
using GemmU8 = GemmType<uint8_t, int8_t, int32_t, int32_t, 4>;

/// The number of vectors in the widest panel.
inline constexpr int kWidestPanel = 4;
/// The number of rows in the highest strip of any family.
inline constexpr int kMostStripRows = 32;
/// The number of rows in the highest tile of any family that reads rows of A in place.
inline constexpr int kMostTileRows = 12;

/// The division of the columns of B into panels of 1 to kWidestPanel vectors. Panels of equal width are consecutive.
/// The last panel may be partial.
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
  /// Returns the number of vectors before panel `panel`, which may be count().
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
  /// Returns the end of the columns of panels [0, panel).
  [[gnu::always_inline]] int64_t end_column(int64_t panel) const {
    const int64_t end = first_column(panel);
    return end < columns ? end : columns;
  }
  /// Returns the run of a panel, with the number of its panels from this one on.
  [[gnu::always_inline]] Run run_from(int64_t panel) const {
    int i = 0;
    for (; i + 1 < kWidestPanel && panel >= runs[i].count; ++i) panel -= runs[i].count;
    return {runs[i].width, runs[i].count - panel};
  }
};

/// The product of a strip of rows of A and some panels of B: y[i][j] = epilogue(sum over t < taps, k < depth of a[t *
/// rows + i][k] * B[t][k][j]). A is given by pointers, so one kernel serves matrices, convolution windows and sampled
/// rows.
template <class Type>
struct GemmStrip {
  int rows = 0;  ///< in [1, strip_rows of the family]
  int64_t taps = 1;
  int64_t depth = 0;
  /// taps * rows pointers to depth contiguous values each, which can be read up to the next multiple of kUnit.
  const typename Type::A* const* a = nullptr;
  int64_t a_offset = 0;  ///< values added to each pointer

  const GemmPanels* panels = nullptr;
  int64_t panel = 0, panel_end = 0;  ///< the panels that are multiplied
  /// Panels [tap][ceil(depth / kUnit)][column][kUnit]. Columns beyond the last one and values beyond the depth are
  /// zero.
  const typename Type::B* b = nullptr;
  int64_t b_rows = 0;  ///< rows of a whole panel, each of kUnit values of its columns
  int64_t b_row = 0;   ///< the first row that is multiplied

  /// What is prefetched for the next product: rows from ahead_row on of panels from ahead_panel on. Each of the strips
  /// that are multiplied before then prefetches a part of it, so that memory responds while they multiply.
  int64_t ahead_panel = -1;  ///< -1: nothing
  int64_t ahead_row = 0;
  int64_t ahead_part = 0, ahead_parts = 1;  ///< number of this strip, and the number of strips
  /// What this strip prefetches where no panel is.
  const std::byte* next = nullptr;
  int64_t next_bytes = 0;

  typename Type::Y* y = nullptr;               ///< the first row's value of the first column of `panel`
  int64_t y_pitch = 0;                         ///< distance in values from one row of y to the next
  bool accumulate = false;                     ///< whether the sums are added to the values of y
  BasicEpilogue<typename Type::Y> epilogue{};  ///< bias, slope and residual begin at y
  /// For families that store bytes, and panels of kWidestPanel whole vectors: where the sums are stored instead of y,
  /// and their transformation. null: the sums are stored in y.
  const ByteBlock* bytes = nullptr;
};

/// The tiles that compute a product. Their sums stay in registers.
struct TileFamily {
  int lanes;                    ///< columns of a vector
  int tile_rows[kWidestPanel];  ///< rows of the highest tile by panel width less one; 0: no such width
  int strip_rows;               ///< rows of the highest strip, at most kMostStripRows
  int unroll[kWidestPanel];     ///< steps of the sum for which a row's address is read once
  int held_rows;                ///< rows whose addresses are in registers; other addresses are read from memory
  int unit;                     ///< values of a row that are multiplied together
  int value_bytes;              ///< bytes of one value of B
  int vector_bytes;             ///< bytes of a vector of sums
  bool exact;                   ///< whether sums are integers of any length
  int slice_steps;              ///< steps of the sum that one instruction multiplies in tile registers; 0: vectors
};

/// The sum over (t, k) is taken in ascending order for every element, for any position and number of rows. Results do
/// not depend on how the work is divided.
template <class Type>
struct GemmKernels : TileFamily {
  void (*strip)(const GemmStrip<Type>& strip);  ///< null where the instruction set has no fast way
  /// Whether products of GemmU8 are exact only for narrow weights. For adjacent pairs in a column of B, 255 times the
  /// sum of the positive values, and of the negative ones, must fit 16 bits.
  bool narrow;
  /// Whether strips of GemmU8 support GemmStrip::bytes.
  bool stores_bytes;
  /// The value that GemmU8 subtracts from the values of A.
  int32_t a_shift;
  /// Multiplies and adds in registers only, as fast as the execution units can. Returns the number of multiply-adds,
  /// which is proportional to `rounds`.
  int64_t (*saturate)(int64_t rounds);
};

}  // namespace linnet
