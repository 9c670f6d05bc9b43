#pragma once

#include <cstddef>
#include <cstdint>

#include "gemm/machine.h"
#include "kernels/gemm.h"

namespace linnet {

/// A part of A: rows [row, row + rows) of taps [tap, tap + taps), and the values [k, k + depth) of each.
struct RowBlock {
  int64_t row = 0;
  int rows = 0;
  int64_t tap = 0;
  int64_t taps = 1;
  int64_t k = 0;
  int64_t depth = 0;
};

/// The source of a product's rows of A.
template <class A>
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Writes the address of the block's values for row i and tap t to pointers[t * rows + i]. The values may be produced
  /// in `scratch`, memory of the calling worker of as many bytes as the plan was made with. The values are valid until
  /// the next call.
  virtual void rows(const RowBlock& block, const A** pointers, std::byte* scratch) const = 0;
  /// Returns the address of rows of zeros (padding), or null. Taps at either end of a block in which all rows are zeros
  /// are skipped.
  virtual const A* zeros() const { return nullptr; }
};

/// The rows of a matrix: element (i, k) at data[i * row_stride + k].
template <class A>
class MatrixRows final : public RowSource<A> {
 public:
  /// tile_rows: at least the number of rows that tiles read at a time.
  MatrixRows(const A* data, int64_t row_stride, int tile_rows = kMostTileRows)
      : data_(data), row_stride_(row_stride), tile_rows_(tile_rows) {}
  void rows(const RowBlock& block, const A** pointers, std::byte* scratch) const override;

  /// Returns the scratch bytes that rows() needs for each row of such a matrix. A copy is made in these cases:
  /// - The distance of rows maps those of a tile to the same cache sets.
  /// - The values are bytes whose number is not a multiple of four.
  static size_t scratch_bytes(int64_t depth, int64_t row_stride, int tile_rows = kMostTileRows);

 private:
  const A* data_;
  int64_t row_stride_;
  int tile_rows_;
};

/// Whether the first-level cache can hold a line of each of so many rows at this distance.
bool rows_share_cache(int64_t distance_bytes, int rows, const Machine& machine);

/// Returns a distance between copies of rows of so many values that spreads them over the cache sets.
template <class A>
constexpr int64_t row_copy_pitch(int64_t depth) {
  constexpr int64_t kLine = 64 / int64_t{sizeof(A)};
  return (depth + kLine - 1) / kLine * kLine + kLine;
}

}  // namespace linnet
