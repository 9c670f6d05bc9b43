#include "tensor/strided_copy.h"

#include <array>

#include "partition/parallel.h"

namespace linnet {

std::vector<int64_t> row_major_strides(std::span<const int64_t> extents) {
  std::vector<int64_t> strides(extents.size(), 1);
  for (size_t d = extents.size(); d-- > 1;) strides[d - 1] = checked_mul(strides[d], extents[d]);
  return strides;
}

StridedCopy::StridedCopy(DType dtype, std::span<const int64_t> extents, std::span<const int64_t> x_strides,
                         std::span<const int64_t> y_strides, int64_t x_offset, int64_t y_offset)
    : copy_(copy_row_of(dtype)), width_(element_bytes(dtype)), x_offset_(x_offset), y_offset_(y_offset) {
  for (size_t d = 0; d < extents.size(); ++d) add_loop({extents[d], x_strides[d], y_strides[d]});
  if (!loops_.empty()) {
    row_ = loops_.back();
    loops_.pop_back();
  }
  for (const Loop& loop : loops_) rows_ *= loop.extent;
}

void StridedCopy::add_loop(const Loop& loop) {
  if (loop.extent == 1) return;
  if (!loops_.empty() && loops_.back().x_stride == loop.x_stride * loop.extent &&
      loops_.back().y_stride == loop.y_stride * loop.extent) {
    loops_.back() = {loops_.back().extent * loop.extent, loop.x_stride, loop.y_stride};
  } else {
    loops_.push_back(loop);
  }
}

void StridedCopy::run(const Tensor& x, Tensor& y, Executor& executor) const {
  if (row_.extent == 0 || rows_ == 0) return;
  const auto* from = static_cast<const std::byte*>(x.raw()) + x_offset_ * width_;
  auto* to = static_cast<std::byte*>(y.raw()) + y_offset_ * width_;
  if (rows_ == 1) {
    return parallel_items(executor, row_.extent, 1, [&](int64_t begin, int64_t end, int) {
      copy_(from + begin * row_.x_stride * width_, row_.x_stride, to + begin * row_.y_stride * width_, row_.y_stride,
            end - begin);
    });
  }
  parallel_items(executor, rows_, row_.extent,
                 [&](int64_t begin, int64_t end, int) { run_rows(from, to, begin, end); });
}

void StridedCopy::run_rows(const std::byte* x, std::byte* y, int64_t begin, int64_t end) const {
  std::array<int64_t, 2 * kMaxRank> index{};
  for (int64_t d = int64_t(loops_.size()) - 1, rest = begin; d >= 0; --d) {
    const Loop& loop = loops_[size_t(d)];
    index[size_t(d)] = rest % loop.extent;
    rest /= loop.extent;
    x += index[size_t(d)] * loop.x_stride * width_;
    y += index[size_t(d)] * loop.y_stride * width_;
  }
  for (int64_t row = begin; row < end; ++row) {
    copy_(x, row_.x_stride, y, row_.y_stride, row_.extent);
    for (size_t d = loops_.size(); d-- > 0;) {
      const Loop& loop = loops_[d];
      x += loop.x_stride * width_;
      y += loop.y_stride * width_;
      if (++index[d] < loop.extent) break;
      x -= loop.x_stride * loop.extent * width_;
      y -= loop.y_stride * loop.extent * width_;
      index[d] = 0;
    }
  }
}

}  // namespace linnet
