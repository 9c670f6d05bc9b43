#include "conv/window_rows.h"

#include <algorithm>

#include "partition/parts.h"

namespace linnet {
namespace {

/// Up to so many floats, the positions along the width become one tap.
constexpr int64_t kMostSpanFloats = 64;

}  // namespace

ConvWindows::Inside::Inside(const ConvAxis& axis)
    : begin(ceil_div(axis.pad_begin, axis.stride)),
      end(axis.in + axis.pad_begin >= axis.extent() ? (axis.in + axis.pad_begin - axis.extent()) / axis.stride + 1
                                                    : 0) {}

ConvWindows::ConvWindows(const ConvGeometry& geometry) : geometry_(geometry), columns_(geometry.axes[2]) {
  const auto& [depth, height, width] = geometry.axes;
  const bool adjacent = width.dilation == 1 && geometry.group == 1;
  if (adjacent && width.kernel * geometry.in_channels <= kMostSpanFloats) span_ = width.kernel;
  depth_ = span_ * geometry.group_in();
  zeros_.resize(size_t(span_ * geometry.in_channels));
  const bool fits = depth.extent() <= depth.in && height.extent() <= height.in && width.extent() <= width.in;
  for (int64_t z = 0; z < depth.kernel; ++z) {
    for (int64_t y = 0; y < height.kernel; ++y) {
      for (int64_t x = 0; x < width.kernel; x += span_) {
        const Offset at{z * depth.dilation, y * height.dilation, x * width.dilation, 0};
        offsets_.push_back(at);
        if (fits) offsets_.back().floats = ((at.z * height.in + at.y) * width.in + at.x) * geometry.in_channels;
      }
    }
  }
}

size_t ConvWindows::scratch_bytes(int tile_rows) const {
  return span_ == 1 ? 0 : size_t(tile_rows * taps() * depth_) * sizeof(float);
}

WindowRows::Corner WindowRows::corner(int64_t row) const {
  const auto& [depth, height, width] = windows_.geometry_.axes;
  const int64_t x = row % width.out;
  const int64_t y = row / width.out % height.out;
  const int64_t z = row / width.out / height.out % depth.out;
  return {row / (width.out * height.out * depth.out), z * depth.stride - depth.pad_begin,
          y * height.stride - height.pad_begin, x * width.stride - width.pad_begin};
}

bool WindowRows::line_inside(const Corner& corner) const {
  const auto& [depth, height, width] = windows_.geometry_.axes;
  return corner.z >= 0 && corner.z + depth.extent() <= depth.in && corner.y >= 0 &&
         corner.y + height.extent() <= height.in;
}

/// One tap of a window that may reach over an edge; `copy` has room for it.
const float* WindowRows::tap(const Corner& corner, const ConvWindows::Offset& offset, float* copy) const {
  const auto& [depth, height, width] = windows_.geometry_.axes;
  const int64_t channels = windows_.geometry_.in_channels;
  const int64_t z = corner.z + offset.z, y = corner.y + offset.y, x = corner.x + offset.x;
  const int64_t first = std::max<int64_t>(x, 0), last = std::min(x + windows_.span_, width.in);
  if (z < 0 || z >= depth.in || y < 0 || y >= height.in || first >= last) return windows_.zeros_.data();
  const float* from = x_ + (((corner.n * depth.in + z) * height.in + y) * width.in + first) * channels;
  if (last - first == windows_.span_) return from;
  float* end = std::fill_n(copy, (first - x) * channels, 0.f);
  end = std::copy_n(from, (last - first) * channels, end);
  std::fill(end, copy + windows_.depth_, 0.f);
  return copy;
}

/// All taps of one window, which becomes row `row`; returns the room that is left behind `copy`.
float* WindowRows::window(const RowBlock& block, const Corner& corner, int row, const float** pointers,
                          float* copy) const {
  const ConvWindows::Offset* offsets = windows_.offsets_.data() + block.tap;
  for (int64_t t = 0; t<block.taps; ++t, copy += windows_.span_> 1 ? windows_.depth_ : 0) {
    pointers[t * block.rows + row] = tap(corner, offsets[t], copy) + block.k;
  }
  return copy;
}

void WindowRows::rows(const RowBlock& block, const float** pointers, std::byte* scratch) const {
  const auto& [depth, height, width] = windows_.geometry_.axes;
  const ConvWindows::Offset* offsets = windows_.offsets_.data() + block.tap;
  const int64_t channels = windows_.geometry_.in_channels, step = width.stride * channels;
  float* copy = reinterpret_cast<float*>(scratch);
  int64_t column = block.row % width.out;
  for (int row = 0; row < block.rows; column = 0) {
    Corner at = corner(block.row + row);
    const int end = int(std::min<int64_t>(block.rows, row + width.out - column));
    const bool inside = line_inside(at);
    while (row < end) {
      // As many windows as lie in the image one after the other.
      const int64_t last = column >= windows_.columns_.begin ? windows_.columns_.end - column : 0;
      const int count = inside ? int(std::clamp<int64_t>(last, 0, end - row)) : 0;
      const int64_t pixel = ((at.n * depth.in + at.z) * height.in + at.y) * width.in + at.x;
      for (int64_t t = 0; count > 0 && t < block.taps; ++t) {
        const float* from = x_ + pixel * channels + offsets[t].floats + block.k;
        for (int i = 0; i < count; ++i) pointers[t * block.rows + row + i] = from + i * step;
      }
      if (count == 0) copy = window(block, at, row, pointers, copy);
      const int done = std::max(count, 1);
      row += done;
      column += done;
      at.x += done * width.stride;
    }
  }
}

}  // namespace linnet
