#pragma once

#include <vector>

#include "conv/conv_geometry.h"
#include "kernels/winograd.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// Tiles of a block, whose inputs and products stay in a core's cache.
inline constexpr int64_t kWinogradBlockTiles = 24;

/// A distance between rows or planes of so many values, of which one line each is touched in turn, that spreads them
/// over the cache sets: an odd number of lines.
int64_t odd_lines(int64_t values, int64_t value_bytes);

/// The outputs of a convolution over channels-last data, divided into tiles that are computed together by Winograd's
/// minimal filtering. Its sums are those of parts: windows that are larger than the filtering's are divided into parts
/// of that many taps, and an axis of stride s into s phases, of which each is an axis of stride 1; parts of windows
/// read inputs of their own, and their products are summed up before they are transformed back. With a dilation d, a
/// tile's outputs lie d apart, and so do its inputs.
class WinogradTiles {
 public:
  struct Outputs {
    int64_t first;      ///< index of the first pixel of the output
    int rows, columns;  ///< that lie in the image
  };

  WinogradTiles() = default;
  /// The height and the width have a stride or a dilation of 1 where the tile has several outputs.
  WinogradTiles(const ConvGeometry& geometry, const WinogradTile& tile);

  const WinogradTile& tile() const { return tile_; }
  int64_t count() const { return images_ * int64_t(rows_.spans.size() * columns_.spans.size()); }
  int64_t parts() const { return int64_t(parts_.size()); }
  /// The number of each tap of a part among those of the window; -1 where it lies behind the window.
  std::vector<int64_t> taps(int64_t part) const;
  /// Output pixels from one row or column of a tile to the next.
  int64_t row_pitch() const { return rows_.pitch * columns_.axis.out; }
  int64_t column_pitch() const { return columns_.pitch; }
  Outputs outputs(int64_t tile) const;

 private:
  struct Span {
    int64_t first;  // output of an axis
    int count;
  };
  /// One axis of images.
  struct Axis {
    Axis() = default;
    Axis(const ConvAxis& of, int outputs);

    /// The input of a span's first output by a tap; may lie outside.
    int64_t input(const Span& span, int64_t tap) const {
      return span.first * axis.stride + tap * axis.dilation - axis.pad_begin;
    }
    /// Inputs from one of a tile to the next.
    int64_t input_pitch() const { return axis.stride * axis.dilation; }

    ConvAxis axis;
    int64_t pitch = 1;  // outputs from one of a tile to the next
    CountedVector<Span> spans;
    CountedVector<int64_t> first_taps;  // of the parts, whose taps lie a stride apart
  };
  struct Position {
    int64_t sample, depth;
    Span row, column;
  };
  struct Part {
    int64_t depth, row, column;  // the first tap
  };
  Position position(int64_t tile) const;

  WinogradTile tile_;
  int64_t images_ = 0, channels_ = 0;
  ConvAxis depth_;
  Axis rows_, columns_;
  CountedVector<Part> parts_;

 public:
  /// The inputs of tiles in x.
  template <class T>
  class Inputs {
   public:
    Inputs(const WinogradTiles& tiles, const T* x, const T* zeros) : tiles_(tiles), x_(x), zeros_(zeros) {}

    /// Writes the addresses of the inputs of a tile's part, row by row; those outside the image are `zeros`.
    void address(int64_t tile, int64_t part, const T** pixels);

   private:
    const WinogradTiles& tiles_;
    const T *x_, *zeros_;
    int64_t tile_ = -1;
    Position at_{};  // of tile_
  };
};

}  // namespace linnet
