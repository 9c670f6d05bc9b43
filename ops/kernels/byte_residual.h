#pragma once

// Included by *.simd.cc only: the residual of a product of bytes.
#include "kernels/byte_vectors.h"
#include "kernels/requantize.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Returns a vector of products plus the residual. If there is a grid, the products are first rounded to it.
[[gnu::always_inline]] inline F32 add_byte_residual(const RequantizeJob& job, F32 value, I32 residual) {
  if (job.grid) {
    const F32 held = at_most(F32(job.grid_high), at_least(F32(job.grid_low), value));
    value = xsimd::to_float(nearest(held)) * F32(job.grid_scale);
  }
  return value + (xsimd::to_float(residual) - F32(job.residual_zero)) * F32(job.residual_scale);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
