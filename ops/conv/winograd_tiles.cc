#include "conv/winograd_tiles.h"

#include <algorithm>

#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {

int64_t odd_lines(int64_t values, int64_t value_bytes) {
  const int64_t of_line = int64_t{kAlignment} / value_bytes;
  return checked_mul(ceil_div(values, of_line) | 1, of_line);
}

WinogradTiles::Axis::Axis(const ConvAxis& of, int outputs) : axis(of), pitch(outputs > 1 ? of.dilation : 1) {
  for (int64_t phase = 0; phase < std::min(pitch, of.out); ++phase) {
    for (int64_t first = phase; first < of.out; first += outputs * pitch) {
      spans.push_back({first, int(std::min<int64_t>(outputs, ceil_div(of.out - first, pitch)))});
    }
  }
  const int64_t phases = outputs > 1 ? of.stride : 1;
  for (int64_t phase = 0; phase < std::min(phases, of.kernel); ++phase) {
    for (int64_t tap = phase; tap < of.kernel; tap += WinogradTile::taps(outputs) * phases) first_taps.push_back(tap);
  }
}

WinogradTiles::WinogradTiles(const ConvGeometry& geometry, const WinogradTile& tile)
    : tile_(tile),
      images_(geometry.batch * geometry.axes[0].out),
      channels_(geometry.in_channels),
      depth_(geometry.axes[0]),
      rows_(geometry.axes[1], tile.rows),
      columns_(geometry.axes[2], tile.columns) {
  for (int64_t depth = 0; depth < depth_.kernel; ++depth) {
    for (const int64_t row : rows_.first_taps) {
      for (const int64_t column : columns_.first_taps) parts_.push_back({depth, row, column});
    }
  }
}

WinogradTiles::Position WinogradTiles::position(int64_t tile) const {
  const int64_t columns = int64_t(columns_.spans.size()), rows = int64_t(rows_.spans.size());
  const int64_t image = tile / columns / rows;
  return {image / depth_.out, image % depth_.out, rows_.spans[size_t(tile / columns % rows)],
          columns_.spans[size_t(tile % columns)]};
}

std::vector<int64_t> WinogradTiles::taps(int64_t number) const {
  const Part& first = parts_[size_t(number)];
  std::vector<int64_t> taps;
  for (int i = 0; i < tile_.row_taps(); ++i) {
    const int64_t row = first.row + i * rows_.axis.stride;
    for (int j = 0; j < tile_.column_taps(); ++j) {
      const int64_t column = first.column + j * columns_.axis.stride;
      const bool inside = row < rows_.axis.kernel && column < columns_.axis.kernel;
      taps.push_back(inside ? (first.depth * rows_.axis.kernel + row) * columns_.axis.kernel + column : -1);
    }
  }
  return taps;
}

template <class T>
void WinogradTiles::Inputs<T>::address(int64_t tile, int64_t part, const T** pixels) {
  const Axis &rows = tiles_.rows_, &columns = tiles_.columns_;
  if (tile != tile_) at_ = tiles_.position(tile_ = tile);
  const Part& first = tiles_.parts_[size_t(part)];
  const int64_t height = rows.axis.in, width = columns.axis.in, channels = tiles_.channels_;
  const ConvAxis& depths = tiles_.depth_;
  const int64_t depth = at_.depth * depths.stride + first.depth * depths.dilation - depths.pad_begin;
  const T* image = x_ + (at_.sample * depths.in + depth) * height * width * channels;
  const bool image_inside = depth >= 0 && depth < depths.in;
  const int64_t y0 = rows.input(at_.row, first.row), x0 = columns.input(at_.column, first.column);
  const int64_t pitch = columns.input_pitch();
  for (int i = 0; i < tiles_.tile_.input_rows(); ++i) {
    const int64_t row = y0 + i * rows.input_pitch();
    const bool row_inside = image_inside && row >= 0 && row < height;
    const T* line = image + (row * width + x0) * channels;
    for (int j = 0; j < tiles_.tile_.input_columns(); ++j, line += pitch * channels) {
      const int64_t column = x0 + j * pitch;
      *pixels++ = row_inside && column >= 0 && column < width ? line : zeros_;
    }
  }
}

template class WinogradTiles::Inputs<float>;
template class WinogradTiles::Inputs<uint8_t>;

WinogradTiles::Outputs WinogradTiles::outputs(int64_t tile) const {
  const Position at = position(tile);
  const int64_t image = at.sample * depth_.out + at.depth;
  return {(image * rows_.axis.out + at.row.first) * columns_.axis.out + at.column.first, at.row.count, at.column.count};
}

}  // namespace linnet
