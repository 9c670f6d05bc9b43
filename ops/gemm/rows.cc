#include "gemm/rows.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "gemm/accuracy.h"
#include "linnet/shape.h"
#include "linnet/tensor.h"

namespace linnet {
namespace {

template <class A>
bool needs_copy(int64_t depth, int64_t row_stride, int tile_rows) {
  return !rows_share_cache(row_stride * int64_t{sizeof(A)}, tile_rows, this_machine()) ||
         (sizeof(A) == 1 && depth % GemmU8::kUnit != 0);
}

/// Prefetches all rows together. Otherwise each row would wait for memory separately.
template <class A>
void prefetch_rows(const A* first, int64_t row_stride, int rows, int64_t depth) {
  for (int i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < depth; k += 64 / int64_t{sizeof(A)}) __builtin_prefetch(first + i * row_stride + k);
  }
}

}  // namespace

template <class A>
void MatrixRows<A>::rows(const RowBlock& block, const A** pointers, std::byte* scratch) const {
  const A* first = data_ + block.row * row_stride_ + block.k;
  if (!needs_copy<A>(block.depth, row_stride_, tile_rows_)) {
    for (int i = 0; i < block.rows; ++i) pointers[i] = first + i * row_stride_;
    return;
  }
  const int64_t pitch = row_copy_pitch<A>(block.depth);
  A* copy = reinterpret_cast<A*>(scratch);
  for (int i = 0; i < block.rows; ++i) pointers[i] = copy + i * pitch;
  const size_t bytes = size_t(block.depth) * sizeof(A);
  prefetch_rows(first, row_stride_, block.rows, block.depth);
  for (int i = 0; i < block.rows; ++i) std::memcpy(copy + i * pitch, first + i * row_stride_, bytes);
}

template <class A>
size_t MatrixRows<A>::scratch_bytes(int64_t depth, int64_t row_stride, int tile_rows) {
  if (!needs_copy<A>(depth, row_stride, tile_rows)) return 0;
  const int64_t block = std::is_integral_v<A> ? depth : std::min(depth, kLongestSum);
  return dtype_bytes(dtype_of<A>, row_copy_pitch<A>(block));
}

bool rows_share_cache(int64_t distance_bytes, int rows, const Machine& machine) {
  const int64_t period = machine.l1_bytes / machine.l1_ways;  // lines at this distance have the same set
  const int64_t sets = period / std::gcd(distance_bytes, period);
  return distance_bytes == 0 || rows <= sets * machine.l1_ways;
}

template class MatrixRows<float>;
template class MatrixRows<double>;
template class MatrixRows<uint8_t>;
template class MatrixRows<int16_t>;
template class MatrixRows<BFloat16>;

}  // namespace linnet
