#include "kernels/line_conv.h"

#include <algorithm>

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// Sums fill the registers that remain after the weights and one input value. The last tile of a row may have fewer
// pixels.
constexpr int kPixels = kRegisters == 32 ? 14 : 6;
constexpr int kSomePixels = kRegisters == 32 ? 8 : 4;
constexpr int kFewPixels = kSomePixels / 2;
constexpr int kPanelVectors = 2;
constexpr int kPanelColumns = kPanelVectors * kLanes;

/// Adds up P pixels from `pixel` on and NV vectors of columns. With kHalf, only the lower half of the last vector is
/// used.
template <int kStride, bool kHalf, int P, int NV>
[[gnu::always_inline]] inline void add_up(const LineConv& row, int64_t pixel, const float* w, F32 (&sum)[P][NV]) {
  for (int64_t l = 0; l < row.num_lines; ++l) {
    const float* x = row.lines[l] + pixel * kStride;
    for (int64_t k = 0; k < row.width; ++k, ++x, w += kPanelColumns) {
      asm("" : "+r"(x));  // otherwise GCC keeps values for the next steps, without enough registers
      F32 weights[NV];
      LINNET_UNROLL for (int v = 0; v < NV; ++v) weights[v] = load(w + v * kLanes);
      LINNET_UNROLL for (int p = 0; p < P; ++p) {
        const F32 value(x[p * kStride]);
        LINNET_UNROLL for (int v = 0; v < NV; ++v) {
          const bool half = kHalf && v == NV - 1;
          sum[p][v] = half ? fma_half(value, weights[v], sum[p][v]) : xsimd::fma(value, weights[v], sum[p][v]);
        }
      }
    }
  }
}

/// Stores the sums after slope and clamp. lanes: the lanes of the last vector that are stored.
template <int P, int NV>
[[gnu::always_inline]] inline void finish(const LineConv& row, const F32 (&sum)[P][NV], int64_t first, int64_t column,
                                          int64_t lanes) {
  float* y = row.y + first * row.columns + column;
  const F32 low(row.epilogue.low), high(row.epilogue.high);
  F32 slope[NV];
  LINNET_UNROLL for (int v = 0; v < NV; ++v) {
    slope[v] = row.epilogue.slope ? load_part(row.epilogue.slope + column + v * kLanes, v < NV - 1 ? kLanes : lanes)
                                  : F32(1.0f);
  }
  LINNET_UNROLL for (int p = 0; p < P; ++p, y += row.columns) {
    LINNET_UNROLL for (int v = 0; v < NV; ++v) {
      const F32 value = at_most(high, at_least(low, row.epilogue.slope ? prelu(sum[p][v], slope[v]) : sum[p][v]));
      if (v < NV - 1 || lanes == kLanes) {
        store(y + v * kLanes, value);
      } else {
        store_part(y + v * kLanes, value, lanes);
      }
    }
  }
}

/// Computes pixels [first, first + P) for a panel of columns that begins at `column`.
template <int P, int kStride, int NV, bool kHalf>
void tile(const LineConv& row, int64_t first, int64_t column, int64_t lanes) {
  const float* b = row.epilogue.bias;
  F32 sum[P][NV];
  LINNET_UNROLL for (int v = 0; v < NV; ++v) {
    const F32 bias = b ? load_part(b + column + v * kLanes, v < NV - 1 ? kLanes : lanes) : F32(0.0f);
    LINNET_UNROLL for (int p = 0; p < P; ++p) sum[p][v] = bias;
  }
  add_up<kStride, kHalf>(row, first, row.w + column * row.num_lines * row.width, sum);
  finish(row, sum, first, column, lanes);
}

/// Computes all pixels of the row. The last tile may compute pixels again.
template <int kStride, int NV, bool kHalf>
void panel(const LineConv& row, int64_t column, int64_t lanes) {
  int64_t left = row.pixels;
  for (; left > kSomePixels; left -= kPixels) {
    tile<kPixels, kStride, NV, kHalf>(row, row.pixels - std::max<int64_t>(left, kPixels), column, lanes);
  }
  if (left > kFewPixels) {
    tile<kSomePixels, kStride, NV, kHalf>(row, row.pixels - kSomePixels, column, lanes);
  } else if (left > 0) {
    tile<kFewPixels, kStride, NV, kHalf>(row, row.pixels - kFewPixels, column, lanes);
  }
}

template <int kStride>
void strided_row(const LineConv& row) {
  for (int64_t column = 0; column < row.columns; column += kPanelColumns) {
    const int64_t left = row.columns - column;
    const int64_t one = left < kLanes ? left : kLanes, two = left < kPanelColumns ? left - kLanes : kLanes;
    if (left > kLanes) {
      (two * 2 <= kLanes ? panel<kStride, 2, kHalves> : panel<kStride, 2, false>)(row, column, two);
    } else {
      (one * 2 <= kLanes ? panel<kStride, 1, kHalves> : panel<kStride, 1, false>)(row, column, one);
    }
  }
  const Epilogue& e = row.epilogue;
  if (e.activation) e.activation(row.y, row.y, row.pixels * row.columns, e.alpha, e.beta);
}

void row(const LineConv& row) { (row.stride == 1 ? strided_row<1> : strided_row<2>)(row); }

}  // namespace

void fill(LineConvKernels& kernels);

void fill(LineConvKernels& kernels) {
  kernels.tile_pixels = kPixels;
  kernels.panel_columns = kPanelColumns;
  kernels.row = row;
}

}  // namespace linnet::LINNET_SIMD_NS
