#include "conv/window_rows.h"

#include <algorithm>

#include "partition/parts.h"

namespace linnet {
namespace {

/// The most values for which the positions along the width become one tap.
constexpr int64_t kMostSpanValues = 64;
constexpr int64_t kUnit = 4;  // bytes of a unit

}  // namespace

ConvWindows::Inside::Inside(const ConvAxis& axis)
    : begin(ceil_div(axis.pad_begin, axis.stride)),
      end(axis.in + axis.pad_begin >= axis.extent() ? (axis.in + axis.pad_begin - axis.extent()) / axis.stride + 1
                                                    : 0) {}

ConvWindows::ConvWindows(const ConvGeometry& geometry) : geometry_(geometry), columns_(geometry.axes[2]) {
  const auto& [depth, height, width] = geometry.axes;
  const bool adjacent = width.dilation == 1 && geometry.group == 1;
  if (adjacent && width.kernel * geometry.in_channels <= kMostSpanValues) span_ = width.kernel;
  depth_ = span_ * geometry.group_in();
  copy_values_ = checked_mul(kUnit, ceil_div(depth_, kUnit));
  zeros_.resize(size_t(std::max(span_ * geometry.in_channels, copy_values_)));
  for (int64_t z = 0; z < depth.kernel; ++z) {
    for (int64_t y = 0; y < height.kernel; ++y) {
      for (int64_t x = 0; x < width.kernel; x += span_) {
        offsets_.push_back({z * depth.dilation, y * height.dilation, x * width.dilation});
      }
    }
  }
}

size_t ConvWindows::scratch_bytes(size_t value_bytes) const {
  const bool copies = span_ > 1 || (value_bytes == 1 && copy_values_ > depth_);
  return copies ? size_t(checked_mul(checked_mul(taps(), copy_values_), int64_t(value_bytes))) : 0;
}

template <class T>
typename WindowRows<T>::Corner WindowRows<T>::corner(int64_t row) const {
  const auto& [depth, height, width] = windows_.geometry_.axes;
  const int64_t x = row % width.out;
  const int64_t y = row / width.out % height.out;
  const int64_t z = row / width.out / height.out % depth.out;
  return {row / (width.out * height.out * depth.out), z * depth.stride - depth.pad_begin,
          y * height.stride - height.pad_begin, x * width.stride - width.pad_begin};
}

template <class T>
int WindowRows<T>::inside(const Corner& corner, int most) const {
  const ConvAxis& width = windows_.geometry_.axes[2];
  const int64_t column = (corner.x + width.pad_begin) / width.stride;
  if (column < windows_.columns_.begin || passes_end(corner)) return 0;
  return int(std::clamp<int64_t>(windows_.columns_.end - column, 0, most));
}

/// Whether the window reads the last line of the last image, where depths are not a multiple of the unit.
template <class T>
bool WindowRows<T>::passes_end(const Corner& corner) const {
  const auto& [depth, height, width] = windows_.geometry_.axes;
  return x_end_ && windows_.copy_values_ > windows_.depth_ && corner.n + 1 == windows_.geometry_.batch &&
         corner.z + depth.extent() >= depth.in && corner.y + height.extent() >= height.in;
}

template <class T>
[[gnu::always_inline]] inline void WindowRows<T>::address_inside(const RowBlock& block, const Corner& corner, int count,
                                                                 const Target& target) const {
  const auto& [depth, height, width] = windows_.geometry_.axes;
  const int64_t channels = windows_.geometry_.in_channels;
  const ConvWindows::Offset* offsets = windows_.offsets_.data() + block.tap;
  for (int64_t t = 0; t < block.taps; ++t) {
    const int64_t z = corner.z + offsets[t].z, y = corner.y + offsets[t].y, x = corner.x + offsets[t].x;
    const bool padding = z < 0 || z >= depth.in || y < 0 || y >= height.in;
    const int64_t pixel = ((corner.n * depth.in + z) * height.in + y) * width.in + x;
    const T* from = (padding ? line_ : x_ + pixel * channels) + block.k;
    const int64_t step = padding ? 0 : width.stride * channels;
    for (int i = 0; i < count; ++i) target.pointers[t * target.pitch + i] = from + i * step;
  }
}

/// Returns the address of one tap of a window that may reach over an edge. `copy` has room for the tap.
template <class T>
const T* WindowRows<T>::tap(const Corner& corner, const ConvWindows::Offset& offset, T* copy) const {
  const auto& [depth, height, width] = windows_.geometry_.axes;
  const int64_t channels = windows_.geometry_.in_channels;
  const int64_t z = corner.z + offset.z, y = corner.y + offset.y, x = corner.x + offset.x;
  const int64_t first = std::max<int64_t>(x, 0), last = std::min(x + windows_.span_, width.in);
  if (z < 0 || z >= depth.in || y < 0 || y >= height.in || first >= last) return line_;
  const T* from = x_ + (((corner.n * depth.in + z) * height.in + y) * width.in + first) * channels;
  const bool ends_inside = !x_end_ || from + windows_.copy_values_ <= x_end_;
  if (last - first == windows_.span_ && ends_inside) return from;
  T* end = std::fill_n(copy, (first - x) * channels, *line_);
  end = std::copy_n(from, windows_.span_ == 1 ? windows_.depth_ : (last - first) * channels, end);
  std::fill(end, copy + windows_.depth_, *line_);
  return copy;
}

template <class T>
T* WindowRows<T>::address_window(const RowBlock& block, const Corner& corner, const Target& target) const {
  const ConvWindows::Offset* offsets = windows_.offsets_.data() + block.tap;
  T* copy = target.copies;
  const int64_t room = copy && windows_.scratch_bytes(sizeof(T)) > 0 ? windows_.copy_values_ : 0;
  for (int64_t t = 0; t < block.taps; ++t, copy += room) {
    target.pointers[t * target.pitch] = tap(corner, offsets[t], copy) + block.k;
  }
  return copy;
}

template <class T>
void WindowRows<T>::rows(const RowBlock& block, const T** pointers, std::byte* scratch) const {
  const ConvAxis& width = windows_.geometry_.axes[2];
  T* copies = reinterpret_cast<T*>(scratch);
  int row = 0;
  while (row < block.rows) {
    Corner at = corner(block.row + row);
    const int64_t column = (block.row + row) % width.out;
    const int end = int(std::min<int64_t>(block.rows, row + width.out - column));
    while (row < end) {
      const Target target{pointers + row, block.rows, copies};
      const int count = inside(at, end - row);
      if (count > 0) {
        address_inside(block, at, count, target);
      } else {
        copies = address_window(block, at, target);
      }
      row += std::max(count, 1);
      at.x += std::max(count, 1) * width.stride;
    }
  }
}

template class WindowRows<float>;
template class WindowRows<double>;
template class WindowRows<int16_t>;
template class WindowRows<BFloat16>;
template class WindowRows<uint8_t>;

}  // namespace linnet
