#pragma once

// Included by *.simd.cc only: how sums held in registers begin and end, for the kernels that share GemmStrip.
#include <cstring>

#include "kernels/gemm.h"
#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// Accumulators fill the register file: 12x2 of 32 registers, 6x2 of 16; without FMA a product needs one more.
constexpr int kTileRows = kRegisters == 32 ? 12 : kLanes == 8 ? 6 : 4;
constexpr int kPanelVectors = 2;
constexpr int kPanelColumns = kPanelVectors * kLanes;
constexpr int kMaxTileVectors = kRegisters == 32 ? 24 : 16;
constexpr int kMaxVectors = 8;

using TileFunction = void (*)(const GemmStrip&);

/// The bias, unless sums of an earlier block come before it.
template <int MR, int NV>
[[gnu::always_inline]] inline void begin(const GemmStrip& s, F32 (&sum)[MR][NV]) {
  const float* bias = s.accumulate ? nullptr : s.epilogue.bias;
  LINNET_UNROLL for (int v = 0; v < NV; ++v) {
    const F32 value = bias ? F32::load_unaligned(bias + v * kLanes) : F32(0.f);
    LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i][v] = value;
  }
}

template <int MR, int NV>
[[gnu::always_inline]] inline void finish(const GemmStrip& s, F32 (&sum)[MR][NV]) {
  // Added last, not begun with: rounding errors grow with the length of a sum, and this keeps it to that of a block.
  if (s.accumulate) {
    LINNET_UNROLL for (int i = 0; i < MR; ++i) {
      const float* y = s.y + i * s.y_pitch;
      LINNET_UNROLL for (int v = 0; v < NV; ++v) sum[i][v] = sum[i][v] + F32::load_unaligned(y + v * kLanes);
    }
  }
  const Epilogue& e = s.epilogue;
  if (e.bias && s.accumulate) {
    LINNET_UNROLL for (int v = 0; v < NV; ++v) {
      const F32 bias = F32::load_unaligned(e.bias + v * kLanes);
      LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i][v] = sum[i][v] + bias;
    }
  }
  if (e.residual) {
    LINNET_UNROLL for (int i = 0; i < MR; ++i) {
      const float* residual = e.residual + i * e.residual_pitch;
      LINNET_UNROLL for (int v = 0; v < NV; ++v) sum[i][v] = sum[i][v] + F32::load_unaligned(residual + v * kLanes);
    }
  }
  if (e.slope) {
    LINNET_UNROLL for (int v = 0; v < NV; ++v) {
      const F32 slope = F32::load_unaligned(e.slope + v * kLanes);
      LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i][v] = prelu(sum[i][v], slope);
    }
  }
  if (e.clamps()) {
    // max and min return their second operand where one is NaN.
    const F32 low(e.low), high(e.high);
    LINNET_UNROLL for (int i = 0; i < MR; ++i) {
      LINNET_UNROLL for (int v = 0; v < NV; ++v) sum[i][v] = xsimd::min(high, xsimd::max(low, sum[i][v]));
    }
  }
  LINNET_UNROLL for (int i = 0; i < MR; ++i) {
    LINNET_UNROLL for (int v = 0; v < NV; ++v) sum[i][v].store_unaligned(s.y + i * s.y_pitch + v * kLanes);
  }
}

inline void copy_rows(const float* from, int64_t from_pitch, float* to, int64_t to_pitch, int rows, int64_t columns) {
  for (int i = 0; i < rows; ++i) std::memcpy(to + i * to_pitch, from + i * from_pitch, size_t(columns) * sizeof(float));
}

/// A tile by way of whole vectors on the stack: for columns that do not fill them.
inline void buffered_tile(const GemmStrip& s, TileFunction function, int vectors) {
  alignas(64) float y[kMaxTileVectors * kLanes] = {};
  alignas(64) float residual[kMaxTileVectors * kLanes];
  alignas(64) float bias[kMaxVectors * kLanes] = {}, slope[kMaxVectors * kLanes] = {};
  const int pitch = vectors * kLanes;
  const Epilogue& e = s.epilogue;
  GemmStrip whole = s;
  whole.y = y;
  whole.y_pitch = pitch;
  if (s.accumulate) copy_rows(s.y, s.y_pitch, y, pitch, s.rows, s.columns);
  if (e.bias) {
    copy_rows(e.bias, 0, bias, 0, 1, s.columns);
    whole.epilogue.bias = bias;
  }
  if (e.slope) {
    copy_rows(e.slope, 0, slope, 0, 1, s.columns);
    whole.epilogue.slope = slope;
  }
  if (e.residual) {
    std::memset(residual, 0, sizeof(residual));
    copy_rows(e.residual, e.residual_pitch, residual, pitch, s.rows, s.columns);
    whole.epilogue.residual = residual;
    whole.epilogue.residual_pitch = pitch;
  }
  function(whole);
  copy_rows(y, pitch, s.y, s.y_pitch, s.rows, s.columns);
}

/// The activation, once all sums of a strip are stored: its rows are long, and still in the first-level cache.
inline void activate(const GemmStrip& s) {
  const Epilogue& e = s.epilogue;
  if (!e.activation) return;
  if (s.y_pitch == s.columns) return e.activation(s.y, s.y, s.rows * s.columns, e.alpha, e.beta);
  for (float* y = s.y; y != s.y + s.rows * s.y_pitch; y += s.y_pitch) e.activation(y, y, s.columns, e.alpha, e.beta);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
