#include "kernels/narrow_product.h"

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <int kRows, bool kWhole>
inline void tile(const float* a, const float* b, float* y, int64_t depth, int64_t columns) {
  F32 sum[kRows];
  LINNET_UNROLL for (F32& row : sum) row = F32(0.0f);
  for (int64_t k = 0; k < depth; ++k, b += columns) {
    const F32 v = kWhole ? load(b) : load_part(b, columns);
    LINNET_UNROLL for (int r = 0; r < kRows; ++r) sum[r] = xsimd::fma(F32(a[r * depth + k]), v, sum[r]);
  }
  LINNET_UNROLL for (int r = 0; r < kRows; ++r) {
    kWhole ? store(y + r * columns, sum[r]) : store_part(y + r * columns, sum[r], columns);
  }
}

template <bool kWhole>
void rows_of(const float* a, const float* b, float* y, int64_t rows, int64_t depth, int64_t columns) {
  constexpr int kHighest = 8;
  for (; rows >= kHighest; rows -= kHighest, a += kHighest * depth, y += kHighest * columns) {
    tile<kHighest, kWhole>(a, b, y, depth, columns);
  }
  const auto some = [&]<int kRows>() {
    if (!(rows & kRows)) return;
    tile<kRows, kWhole>(a, b, y, depth, columns);
    a += kRows * depth;
    y += kRows * columns;
  };
  some.template operator()<4>();
  some.template operator()<2>();
  some.template operator()<1>();
}

void multiply(const float* a, const float* b, float* y, int64_t rows, int64_t depth, int64_t columns) {
  (columns == kLanes ? rows_of<true> : rows_of<false>)(a, b, y, rows, depth, columns);
}

}  // namespace

void fill(NarrowProductKernels& kernels);

void fill(NarrowProductKernels& kernels) { kernels = {.most_columns = kLanes, .multiply = multiply}; }

}  // namespace linnet::LINNET_SIMD_NS
