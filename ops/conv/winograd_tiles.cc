#include "conv/winograd_tiles.h"

#include <algorithm>

#include "partition/parts.h"

namespace linnet {

WinogradTiles::WinogradTiles(const ConvGeometry& geometry, int outputs)
    : outputs_(outputs),
      images_(geometry.batch * geometry.axes[0].out),
      channels_(geometry.in_channels),
      height_(geometry.axes[1]),
      width_(geometry.axes[2]),
      rows_(spans(height_, outputs)),
      columns_(spans(width_, outputs)) {}

std::vector<WinogradTiles::Span> WinogradTiles::spans(const ConvAxis& axis, int outputs) {
  std::vector<Span> found;
  for (int64_t phase = 0; phase < std::min(axis.dilation, axis.out); ++phase) {
    for (int64_t first = phase; first < axis.out; first += outputs * axis.dilation) {
      const int64_t left = ceil_div(axis.out - first, axis.dilation);
      found.push_back({first, int(std::min<int64_t>(outputs, left))});
    }
  }
  return found;
}

WinogradTiles::Position WinogradTiles::position(int64_t tile) const {
  const int64_t columns = int64_t(columns_.size()), rows = int64_t(rows_.size());
  return {tile / columns / rows, rows_[size_t(tile / columns % rows)], columns_[size_t(tile % columns)]};
}

template <class T>
void WinogradTiles::inputs(int64_t tile, const T* x, const T* zeros, const T** pixels) const {
  const Position at = position(tile);
  const int64_t y0 = at.row.first - height_.pad_begin, x0 = at.column.first - width_.pad_begin;
  for (int i = 0; i < inputs(); ++i) {
    const int64_t row = y0 + i * height_.dilation;
    const bool row_inside = row >= 0 && row < height_.in;
    const T* line = x + (at.image * height_.in + row) * width_.in * channels_;
    for (int j = 0; j < inputs(); ++j) {
      const int64_t column = x0 + j * width_.dilation;
      *pixels++ = row_inside && column >= 0 && column < width_.in ? line + column * channels_ : zeros;
    }
  }
}

template void WinogradTiles::inputs(int64_t, const float*, const float*, const float**) const;
template void WinogradTiles::inputs(int64_t, const uint8_t*, const uint8_t*, const uint8_t**) const;

WinogradTiles::Outputs WinogradTiles::outputs(int64_t tile) const {
  const Position at = position(tile);
  return {(at.image * height_.out + at.row.first) * width_.out + at.column.first, at.row.count, at.column.count};
}

}  // namespace linnet
