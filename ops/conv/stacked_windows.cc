#include "conv/stacked_windows.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "conv/window_rows.h"
#include "linnet/shape.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"

namespace linnet {
namespace {

constexpr int64_t kBlockBytes = 16;               // copied at a time
constexpr int64_t kCacheLine = 64;                // of the cache
constexpr int64_t kMostBytes = int64_t{4} << 20;  // of all stacks
constexpr int64_t kLineValues = 2048;             // values of a part of a line
constexpr int64_t kLeastValues = 128;             // of a window that is worth a copy
constexpr int64_t kPartColumns = 32;              // columns of a chunk of work, at most

/// Returns a distance between stacks of so many bytes that spreads them over the sets of a cache, with room for a block
/// after the last line.
int64_t stack_pitch(int64_t bytes) {
  return checked_mul(kCacheLine, checked_add(bytes, kBlockBytes + kCacheLine) / kCacheLine | 1);
}

}  // namespace

StackedWindows::StackedWindows(const ConvGeometry& geometry, int64_t unit, int64_t value_bytes)
    : height_(geometry.axes[1]), width_(geometry.axes[2]), images_(geometry.batch), channels_(geometry.in_channels) {
  const ConvAxis& depth = geometry.axes[0];
  const bool planar = depth.in == 1 && depth.out == 1 && depth.kernel == 1 && depth.pad_begin == 0;
  if (!planar || height_.kernel == 1 || height_.dilation != 1 || !ConvWindows(geometry).merges_columns()) return;
  span_ = checked_mul(unit, ceil_div(checked_mul(width_.kernel, channels_), unit));
  if (images_ == 0 || height_.out == 0 || width_.out == 0) return;
  if (width_.out > 1) column_step_ = checked_mul(width_.stride, channels_);
  if (height_.out > 1) row_step_ = checked_mul(height_.stride, span_);
  depth_ = checked_mul(height_.kernel, span_);
  const int64_t stack_values = checked_add(checked_mul(height_.out - 1, row_step_), depth_);
  lines_ = stack_values / span_;
  pitch_ = stack_pitch(checked_mul(stack_values, value_bytes)) / value_bytes;
  const int64_t stacks = checked_mul(images_, width_.out);
  const bool fits = stacks <= kMostBytes / value_bytes / pitch_;
  const bool short_lines = checked_add(checked_mul(kPartColumns, column_step_), span_ + kBlockBytes) <= kLineValues;
  if (depth_ >= kLeastValues && fits && short_lines) values_ = checked_mul(stacks, pitch_);
}

template <class T>
void StackedWindows::copy(Executor& executor, const T* x, T padding, T* stacks) const {
  const int64_t parts = ceil_div(width_.out, kPartColumns);
  executor.parallel_for(images_ * parts, [&](int64_t i, int) {
    const Span columns = Span{0, width_.out}.part(parts, i % parts);
    copy_columns({i / parts, columns.begin, columns.end}, x, padding, stacks);
  });
}

/// Blocks are written in ascending order of lines, so that a line overwrites what the block before it left over.
template <class T>
void StackedWindows::copy_columns(const Columns& columns, const T* x, T padding, T* stacks) const {
  constexpr int64_t kBlock = kBlockBytes / int64_t{sizeof(T)};
  std::array<T, kLineValues> line;
  Checkpoints checkpoints;
  const int64_t count = columns.end - columns.begin;
  T* const first = stacks + (columns.image * width_.out + columns.begin) * pitch_;
  line.fill(padding);
  for (int64_t i = 0; i < lines_; ++i) {
    read_line(columns, i, x, padding, line.data());
    for (int64_t column = 0; column < count; ++column) {
      const T* from = line.data() + column * column_step_;
      T* to = first + column * pitch_ + i * span_;
      for (int64_t k = 0; k < span_; k += kBlock) std::memcpy(to + k, from + k, kBlockBytes);
    }
    checkpoints.add(count * span_);
  }
}

/// Reads the pixels of a line that the windows of some columns need.
template <class T>
void StackedWindows::read_line(const Columns& columns, int64_t line, const T* x, T padding, T* to) const {
  const int64_t y = line - height_.pad_begin;
  const int64_t begin = columns.begin * width_.stride - width_.pad_begin;
  const int64_t end = begin + (columns.end - columns.begin - 1) * width_.stride + width_.kernel;
  const bool inside = y >= 0 && y < height_.in;
  const int64_t first = inside ? std::clamp<int64_t>(begin, 0, width_.in) : width_.in;
  const int64_t last = inside ? std::clamp<int64_t>(end, first, width_.in) : first;
  const int64_t before = inside ? std::min(first, end) - begin : end - begin;
  T* next = std::fill_n(to, before * channels_, padding);
  if (!inside) return;
  next = std::copy_n(x + ((columns.image * height_.in + y) * width_.in + first) * channels_, (last - first) * channels_,
                     next);
  std::fill(next, to + (end - begin) * channels_, padding);
}

template <class T>
void StackedRows<T>::rows(const RowBlock& block, const T** pointers, std::byte* /*scratch*/) const {
  const StackedWindows& w = windows_;
  const int64_t columns = w.width_.out;
  int64_t x = block.row % columns, y = block.row / columns % w.height_.out;
  int64_t image = block.row / columns / w.height_.out;
  for (int i = 0; i < block.rows; ++i) {
    pointers[i] = stacks_ + (image * columns + x) * w.pitch_ + y * w.row_step_ + block.k;
    if (++x < columns) continue;
    x = 0;
    if (++y == w.height_.out) y = 0, ++image;
  }
}

template class StackedRows<uint8_t>;
template class StackedRows<int16_t>;
template void StackedWindows::copy(Executor&, const uint8_t*, uint8_t, uint8_t*) const;
template void StackedWindows::copy(Executor&, const int16_t*, int16_t, int16_t*) const;

}  // namespace linnet
