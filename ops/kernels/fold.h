#pragma once

// Included by *.simd.cc only: sums across lanes.
#include <bit>
#include <utility>

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class Vector>
using Elements [[gnu::vector_size(sizeof(Vector))]] = typename Vector::value_type;

/// Lane j of the result is lane Lane[j] of the concatenation of the two vectors.
template <class Vector, int... Lane>
[[gnu::always_inline]] inline Vector shuffle(Vector x, Vector y, std::integer_sequence<int, Lane...>) {
  const auto low = std::bit_cast<Elements<Vector>>(x), high = std::bit_cast<Elements<Vector>>(y);
  return Vector(std::bit_cast<typename Vector::register_type>(__builtin_shufflevector(low, high, Lane...)));
}

/// Lane j of the result is lane j ^ Distance of x.
template <int Distance, class Vector, int... J>
[[gnu::always_inline]] inline Vector exchange(Vector x, std::integer_sequence<int, J...>) {
  return shuffle(x, x, std::integer_sequence<int, (J ^ Distance)...>());
}

/// Adds Count sums: lane j of sum r belongs to lane j ^ r.
template <int Count, class Vector>
[[gnu::always_inline]] inline Vector fold(Vector* sum) {
  if constexpr (Count > 1) {
    constexpr int kHalf = Count / 2;
    LINNET_UNROLL for (int r = 0; r < kHalf; ++r) {
      sum[r] = sum[r] + exchange<kHalf>(sum[r + kHalf], std::make_integer_sequence<int, int(Vector::size)>());
    }
    return fold<kHalf>(sum);
  }
  return sum[0];
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
