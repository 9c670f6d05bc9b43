#pragma once

// Included by *.simd.cc only: conversion of the sums of a tile to bytes within the registers.
#include "kernels/byte_residual.h"
#include "kernels/gemm_tile.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The number of vectors that become one row of bytes.
constexpr int kByteVectors = kWidestPanel;

/// Stores rows of kByteVectors vectors from vector kFirst on.
template <bool kResidual, bool kClamps, int kFirst, int MR, int NV>
[[gnu::always_inline]] inline void store_byte_columns(const ByteBlock& block, int64_t row, int64_t column,
                                                      const I32 (&sum)[MR][NV]) {
  const RequantizeJob job = block.job;  // a copy, as stores of bytes may alias it
  F32 scale[kByteVectors];
  LINNET_UNROLL for (int v = 0; v < kByteVectors; ++v) scale[v] = load(job.scale + column + v * kLanes);
  const uint8_t* residual = kResidual ? job.residual + row * job.residual_pitch + column : nullptr;
  for_rows<MR>(
      block.y + row * job.y_pitch + column, job.y_pitch, [&](int i, uint8_t* y) __attribute__((always_inline)) {
        I32 rounded[kByteVectors];
        LINNET_UNROLL for (int v = 0; v < kByteVectors; ++v) {
          F32 value = xsimd::to_float(sum[i][kFirst + v]) * scale[v];
          if constexpr (kResidual) value = add_byte_residual(job, value, widen(residual + v * kLanes));
          if constexpr (kClamps) value = at_most(F32(job.high), at_least(F32(job.low), value));
          rounded[v] = nearest(value);
        }
        narrow_four(rounded, int16_t(job.zero), y);
        if constexpr (kResidual) {
          residual += job.residual_pitch;
          asm volatile("" : "+r"(residual));
        }
      });
}

template <bool kResidual, bool kClamps, int MR, int NV>
[[gnu::always_inline]] inline void store_byte_rows(const TileJob<GemmU8>& job, const I32 (&sum)[MR][NV]) {
  static_assert(NV == kByteVectors || NV == 2 * kByteVectors);
  store_byte_columns<kResidual, kClamps, 0>(*job.bytes, job.row, job.column, sum);
  if constexpr (NV > kByteVectors) {
    constexpr int64_t kColumns = int64_t{kByteVectors} * kLanes;
    store_byte_columns<kResidual, kClamps, kByteVectors>(*job.bytes, job.row, job.column + kColumns, sum);
  }
}

template <int MR, int NV>
[[gnu::always_inline]] inline void store_bytes(const TileJob<GemmU8>& job, const I32 (&sum)[MR][NV]) {
  const RequantizeJob& r = job.bytes->job;
  if (r.residual) {
    r.clamps ? store_byte_rows<true, true>(job, sum) : store_byte_rows<true, false>(job, sum);
  } else {
    r.clamps ? store_byte_rows<false, true>(job, sum) : store_byte_rows<false, false>(job, sum);
  }
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
