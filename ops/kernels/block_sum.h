#pragma once

// Included by *.simd.cc only: sums with small rounding errors in a fixed order.
#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The number of values that are summed in float32 lanes before they are added to the total. It bounds the rounding
/// error.
inline constexpr int64_t kSumBlock = 64 * kLanes;

/// Returns the sum of term(x[i]) for n <= kSumBlock values, in lanes. term(neutral) is 0. Where each value is added
/// depends on its position alone, so zeros after the last value change nothing.
template <class Term>
inline F32 sum_block(const float* x, int64_t n, Term term, float neutral) {
  F32 sum[4] = {F32(0.0f), F32(0.0f), F32(0.0f), F32(0.0f)};
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    for (int j = 0; j < 4; ++j) sum[j] += term(load(x + i + j * kLanes));
  }
  LINNET_UNROLL for (int j = 0; j < 4; ++j, i += kLanes) {
    if (i + kLanes > n) {
      if (i < n) sum[j] += term(load_part(x + i, n - i, neutral));
      break;
    }
    sum[j] += term(load(x + i));
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Returns the sum of term(x[i]) over n values. term(neutral) is 0.
template <class Term>
inline float sum_terms(const float* x, int64_t n, Term term, float neutral = 0.0f) {
  if (n <= kSumBlock) return sum_lanes(sum_block(x, n, term, neutral));
  F32 total(0.0f);
  for (int64_t i = 0; i < n; i += kSumBlock) {
    total += sum_block(x + i, n - i < kSumBlock ? n - i : kSumBlock, term, neutral);
  }
  return sum_lanes(total);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
