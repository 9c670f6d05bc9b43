#pragma once

// Included by *.simd.cc only: the start of a row whose stores are aligned.
#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Returns the number of elements before the first aligned vector of y. Stores from there on do not cross cache lines.
/// 0 for short rows, which do not pay for it.
template <class T>
int64_t before_aligned(const T* y, int64_t n) {
  constexpr int64_t kBytes = kLanes * sizeof(float), kShort = 8 * kLanes;
  const auto past = int64_t(uintptr_t(y) % kBytes);
  return n < kShort || past == 0 ? 0 : (kBytes - past) / int64_t(sizeof(T));
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
