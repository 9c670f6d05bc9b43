#include "movement/transpose_plan.h"

#include <algorithm>
#include <array>

#include "kernels/kernels_for.h"
#include "kernels/transpose.h"
#include "movement/strided_kernel.h"
#include "movement/view.h"
#include "partition/parallel.h"
#include "partition/parts.h"

namespace linnet {
namespace {

using TransposeMatrix = decltype(TransposeKernels::bits32);

/// Returns the kernel for elements of the dtype's width, or nullptr.
TransposeMatrix matrix_kernel(DType dtype, Isa isa) {
  const TransposeKernels& kernels = kernels_for<TransposeKernels>(isa);
  if (dtype == DType::kString) return nullptr;
  switch (dtype_bits(dtype)) {
    case 8:
      return kernels.bits8;
    case 16:
      return kernels.bits16;
    case 32:
      return kernels.bits32;
    case 64:
      return kernels.bits64;
    default:
      return nullptr;
  }
}

std::vector<int64_t> strides_in_output_order(const Permutation& p) {
  const std::vector<int64_t> dense = row_major_strides(p.extents);
  std::vector<int64_t> strides;
  for (const int axis : p.perm) strides.push_back(dense[size_t(axis)]);
  return strides;
}

std::vector<int64_t> output_extents(const Permutation& p) {
  std::vector<int64_t> extents;
  for (const int axis : p.perm) extents.push_back(p.extents[size_t(axis)]);
  return extents;
}

/// Transposes matrices inside outer loops. Their rows run along the output's last axis, their columns along the
/// input's.
class MatrixTranspose final : public Kernel {
 public:
  MatrixTranspose(DType dtype, const Permutation& p, TransposeMatrix kernel)
      : kernel_(kernel), width_(element_bytes(dtype)) {
    const std::vector<int64_t> extents = output_extents(p), x_strides = strides_in_output_order(p);
    const std::vector<int64_t> y_strides = row_major_strides(extents);
    const int input_last = int(p.extents.size()) - 1;
    for (size_t d = 0; d + 1 < extents.size(); ++d) {
      if (p.perm[d] == input_last) {
        columns_ = extents[d];
        y_pitch_ = y_strides[d];
      } else {
        outer_.push_back({extents[d], x_strides[d], y_strides[d]});
        matrices_ *= extents[d];
      }
    }
    rows_ = extents.back();
    x_pitch_ = x_strides.back();
    read_in_order();
    // Blocks are whole cache lines of columns, so that two chunks never read the same lines of many rows.
    column_block_ = std::clamp<int64_t>(kChunkElements / rows_ / 64 * 64, 64, std::max<int64_t>(columns_, 64));
    column_blocks_ = ceil_div(columns_, column_block_);
    const int64_t width = std::min(column_block_, columns_);
    row_block_ = std::clamp<int64_t>(kChunkElements / width / 64 * 64, 64, std::max<int64_t>(rows_, 64));
    row_blocks_ = ceil_div(rows_, row_block_);
  }

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const int64_t elements = std::min(row_block_, rows_) * std::min(column_block_, columns_);
    const int64_t blocks = column_blocks_ * row_blocks_;
    parallel_items(context.executor(), matrices_ * blocks, elements, [&](int64_t item, int64_t end, int) {
      Place place;
      go_to(item / blocks, place);
      for (int64_t block = item % blocks; item < end; ++item) {
        run_block(x, y, place, block);
        if (++block < blocks) continue;
        block = 0;
        advance(place);
      }
    });
  }

  std::string describe() const override { return str(matrices_, " matrices of ", rows_, "x", columns_); }

 private:
  struct Loop {
    int64_t extent, x_stride, y_stride;
  };

  /// Makes the loop over matrices that follow each other in x the innermost one, where they are written to few places.
  void read_in_order() {
    constexpr int64_t kMostPlaces = 16;
    const int64_t matrix = rows_ * x_pitch_;
    const auto next = std::ranges::find_if(
        outer_, [&](const Loop& loop) { return loop.x_stride == matrix && loop.extent <= kMostPlaces / columns_; });
    if (next != outer_.end()) std::rotate(next, next + 1, outer_.end());
  }

  /// The offsets of a matrix in x and y.
  struct Place {
    int64_t from = 0, to = 0;
    std::array<int64_t, kMaxRank> index{};
  };

  void go_to(int64_t matrix, Place& place) const {
    for (size_t d = outer_.size(); d-- > 0; matrix /= outer_[d].extent) {
      place.index[d] = matrix % outer_[d].extent;
      place.from += place.index[d] * outer_[d].x_stride;
      place.to += place.index[d] * outer_[d].y_stride;
    }
  }

  void advance(Place& place) const {
    for (size_t d = outer_.size(); d-- > 0;) {
      const Loop& loop = outer_[d];
      place.from += loop.x_stride;
      place.to += loop.y_stride;
      if (++place.index[d] < loop.extent) return;
      place.from -= loop.extent * loop.x_stride;
      place.to -= loop.extent * loop.y_stride;
      place.index[d] = 0;
    }
  }

  void run_block(const std::byte* x, std::byte* y, const Place& place, int64_t block) const {
    int64_t row = 0, column = 0;
    if (block > 0) {
      row = block % row_blocks_ * row_block_;
      column = block / row_blocks_ * column_block_;
    }
    const int64_t from = place.from + row * x_pitch_ + column, to = place.to + column * y_pitch_ + row;
    const int64_t rows = std::min(row_block_, rows_ - row), columns = std::min(column_block_, columns_ - column);
    kernel_(x + from * width_, rows, columns, x_pitch_, y + to * width_, y_pitch_);
  }

  TransposeMatrix kernel_;
  int64_t width_;
  std::vector<Loop> outer_;
  int64_t matrices_ = 1;
  int64_t rows_ = 1, columns_ = 1, x_pitch_ = 0, y_pitch_ = 0;
  int64_t column_block_ = 1, column_blocks_ = 1, row_block_ = 1, row_blocks_ = 1;
};

}  // namespace

Permutation simplify_permutation(const Shape& shape, std::span<const int> perm) {
  std::vector<int> kept;  // The input axes in the order of the output, each the first of a merged group.
  std::vector<int64_t> extents(shape.begin(), shape.end());
  int previous = -1;
  for (const int axis : perm) {
    if (shape[axis] == 1) continue;
    bool follows = previous >= 0 && axis > previous;
    for (int between = previous + 1; follows && between < axis; ++between) follows = shape[between] == 1;
    previous = axis;
    if (follows) {
      extents[size_t(kept.back())] *= shape[axis];
      extents[size_t(axis)] = 1;
    } else {
      kept.push_back(axis);
    }
  }
  std::vector<int> sorted = kept;
  std::sort(sorted.begin(), sorted.end());
  Permutation result;
  for (const int axis : sorted) result.extents.push_back(extents[size_t(axis)]);
  for (const int axis : kept) {
    result.perm.push_back(int(std::lower_bound(sorted.begin(), sorted.end(), axis) - sorted.begin()));
  }
  return result;
}

KernelPtr make_transpose(DType dtype, const Shape& shape, std::span<const int> perm, Isa isa) {
  const Permutation p = simplify_permutation(shape, perm);
  if (p.is_identity() || shape.elements() == 0) return make_view();
  const TransposeMatrix kernel = matrix_kernel(dtype, isa);
  const bool last_moves = p.perm.back() != int(p.perm.size()) - 1;
  if (kernel && last_moves) return std::make_unique<MatrixTranspose>(dtype, p, kernel);
  const std::vector<int64_t> extents = output_extents(p);
  return make_strided_kernel(StridedCopy(dtype, extents, strides_in_output_order(p), row_major_strides(extents)));
}

}  // namespace linnet
