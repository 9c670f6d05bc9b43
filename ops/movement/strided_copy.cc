#include "movement/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

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
  if (row_.x_stride == 1 && row_.y_stride == 1 && !loops_.empty() && loops_.back().x_stride == 0 &&
      loops_.back().y_stride == row_.extent) {
    repeats_ = loops_.back().extent;
    loops_.pop_back();
  }
  whole_ = dtype != DType::kString && row_.x_stride == 1 && row_.y_stride == 1;
  for (const Loop& loop : loops_) rows_ *= loop.extent;
  if (whole_) read_in_order();
}

void StridedCopy::read_in_order() {
  constexpr int64_t kMostPlaces = 16, kLongRow = 1024;  // bytes that are read in order anyway
  constexpr int64_t kCached = 1 << 20;                  // bytes of all rows, which caches hold in any order
  if (row_.extent >= kLongRow / width_ || checked_mul(rows_, row_.extent) < kCached / width_) return;
  const auto next = std::ranges::find_if(
      loops_, [&](const Loop& loop) { return loop.x_stride == row_.extent && loop.extent <= kMostPlaces; });
  if (next != loops_.end()) std::rotate(next, next + 1, loops_.end());
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

/// The position of a row in both arrays, and the number of its repeats that are already written.
struct StridedCopy::RowCursor {
  RowCursor(const StridedCopy& copy, const std::byte* from, std::byte* to, int64_t row)
      : plan(copy), x(from), y(to), repeat(row % copy.repeats_) {
    int64_t rest = row / copy.repeats_;
    for (size_t d = plan.loops_.size(); d-- > 0;) {
      const Loop& loop = plan.loops_[d];
      index[d] = rest % loop.extent;
      rest /= loop.extent;
      x += index[d] * loop.x_stride * plan.width_;
      y += index[d] * loop.y_stride * plan.width_;
    }
  }

  /// The number of rows along the innermost loop from this one on.
  int64_t rows_left() const {
    return plan.loops_.empty() ? 1 : plan.loops_.back().extent - index[plan.loops_.size() - 1];
  }

  /// Advances by at most rows_left() rows.
  void advance(int64_t rows) {
    repeat = 0;
    if (plan.loops_.empty()) return;
    size_t d = plan.loops_.size() - 1;
    x += rows * plan.loops_[d].x_stride * plan.width_;
    y += rows * plan.loops_[d].y_stride * plan.width_;
    index[d] += rows;
    for (; index[d] == plan.loops_[d].extent && d > 0; --d) {
      const Loop &loop = plan.loops_[d], &outer = plan.loops_[d - 1];
      x += (outer.x_stride - loop.x_stride * loop.extent) * plan.width_;
      y += (outer.y_stride - loop.y_stride * loop.extent) * plan.width_;
      index[d] = 0;
      ++index[d - 1];
    }
  }

  const StridedCopy& plan;
  const std::byte* x;
  std::byte* y;
  int64_t repeat;
  std::array<int64_t, 2 * kMaxRank> index{};
};

void StridedCopy::run(const Tensor& x, Tensor& y, Executor& executor) const {
  if (row_.extent == 0 || rows_ == 0) return;
  const auto* from = static_cast<const std::byte*>(x.raw()) + x_offset_ * width_;
  auto* to = static_cast<std::byte*>(y.raw()) + y_offset_ * width_;
  if (rows_ == 1 && repeats_ == 1) {
    if (row_.extent <= kChunkElements) return copy_(from, row_.x_stride, to, row_.y_stride, row_.extent);
    return parallel_items(executor, row_.extent, 1, [&](int64_t begin, int64_t end, int) {
      copy_(from + begin * row_.x_stride * width_, row_.x_stride, to + begin * row_.y_stride * width_, row_.y_stride,
            end - begin);
    });
  }
  const auto copy = [&](int64_t begin, int64_t end, int) {
    for (RowCursor cursor(*this, from, to, begin); begin < end;) begin += copy_rows(cursor, end - begin);
  };
  const int64_t rows = rows_ * repeats_;
  if (rows <= kChunkElements / row_.extent) return copy(0, rows, 0);  // a single chunk
  parallel_items(executor, rows, row_.extent, copy);
}

int64_t StridedCopy::copy_rows(RowCursor& cursor, int64_t most) const {
  if (repeats_ > 1) {
    const int64_t count = std::min(most, repeats_ - cursor.repeat);
    repeat_row(cursor.x, cursor.y + cursor.repeat * row_.extent * width_, count);
    cursor.repeat += count;
    if (cursor.repeat == repeats_) cursor.advance(1);
    return count;
  }
  const int64_t rows = std::min(most, cursor.rows_left());
  const std::byte* x = cursor.x;
  std::byte* y = cursor.y;
  const int64_t x_pitch = checked_mul(loops_.back().x_stride, width_);
  const int64_t y_pitch = checked_mul(loops_.back().y_stride, width_);
  if (whole_) {
    const auto bytes = size_t(checked_mul(row_.extent, width_));
    for (int64_t r = 0; r < rows; ++r) std::memcpy(y + r * y_pitch, x + r * x_pitch, bytes);
  } else {
    for (int64_t r = 0; r < rows; ++r) {
      copy_(x + r * x_pitch, row_.x_stride, y + r * y_pitch, row_.y_stride, row_.extent);
    }
  }
  cursor.advance(rows);
  return rows;
}

/// Writes the row `count` times. Each copy doubles what is written, up to kMost bytes.
void StridedCopy::repeat_row(const std::byte* x, std::byte* y, int64_t count) const {
  constexpr int64_t kMost = 16 * 1024;  // bytes of a copy, which stay in the first-level cache
  constexpr int64_t kBlock = 16, kShort = 256;
  if (!whole_) {
    for (int64_t r = 0; r < count; ++r) copy_(x, 1, y + r * row_.extent * width_, 1, row_.extent);
    return;
  }
  const int64_t bytes = row_.extent * width_, all = count * bytes;
  if (bytes % kBlock == 0 && bytes <= kShort) {  // A copy of what was just written would have to wait for the stores.
    for (int64_t done = 0; done < all; done += bytes) {
      for (int64_t i = 0; i < bytes; i += kBlock) std::memcpy(y + done + i, x + i, kBlock);
    }
    return;
  }
  std::memcpy(y, x, size_t(bytes));
  for (int64_t done = bytes; done < all;) {
    const int64_t part = std::min({done, all - done, std::max(bytes, kMost / bytes * bytes)});
    std::memcpy(y + done, y, size_t(part));
    done += part;
  }
}

}  // namespace linnet
