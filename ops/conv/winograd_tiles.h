#pragma once

#include <vector>

#include "conv/conv_geometry.h"
#include "kernels/winograd.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The number of tiles in a block, whose inputs and products stay in a core's cache.
inline constexpr int64_t kWinogradBlockTiles = 24;

/// Returns a distance between rows or planes of so many values that spreads them over the cache sets: an odd number of
/// lines. It is for loops that touch one line of each row or plane in turn.
int64_t odd_lines(int64_t values, int64_t value_bytes);

/// The outputs of a convolution over channels-last data, divided into tiles that Winograd's minimal filtering computes
/// together. The sums are divided into parts:
/// - Windows larger than the filtering's are divided into parts of that many taps.
/// - An axis of stride s is divided into s phases, each of which is an axis of stride 1.
/// Each part of a window reads separate inputs. The products of the parts are added before they are transformed back.
/// With a dilation d, a tile's outputs are d apart, and so are its inputs.
class WinogradTiles {
 public:
  struct Outputs {
    int64_t first;      ///< index of the first pixel of the output
    int rows, columns;  ///< those inside the image
  };

  WinogradTiles() = default;
  /// Where the tile has several outputs along the height or the width, that axis has a stride or a dilation of 1.
  WinogradTiles(const ConvGeometry& geometry, const WinogradTile& tile);

  const WinogradTile& tile() const { return tile_; }
  int64_t count() const { return images_ * int64_t(rows_.spans.size() * columns_.spans.size()); }
  int64_t parts() const { return int64_t(parts_.size()); }
  /// Returns the number of each tap of a part among the taps of the window, or -1 where it is beyond the window.
  std::vector<int64_t> taps(int64_t part) const;
  /// The distance in output pixels from one row or column of a tile to the next.
  int64_t row_pitch() const { return rows_.pitch * columns_.axis.out; }
  int64_t column_pitch() const { return columns_.pitch; }
  Outputs outputs(int64_t tile) const;

 private:
  struct Span {
    int64_t first;  // index of an output along the axis
    int count;
  };
  /// One axis of images.
  struct Axis {
    Axis() = default;
    Axis(const ConvAxis& of, int outputs);

    /// Returns the input that a tap reads for a span's first output; it may be outside the image.
    int64_t input(const Span& span, int64_t tap) const {
      return span.first * axis.stride + tap * axis.dilation - axis.pad_begin;
    }
    /// The distance from one input of a tile to the next.
    int64_t input_pitch() const { return axis.stride * axis.dilation; }

    ConvAxis axis;
    int64_t pitch = 1;  // distance from one output of a tile to the next
    CountedVector<Span> spans;
    CountedVector<int64_t> first_taps;  // first taps of the parts, whose taps are a stride apart
  };
  struct Position {
    int64_t sample, depth;
    Span row, column;
  };
  struct Part {
    int64_t depth, row, column;  // position of the first tap
  };
  Position position(int64_t tile) const;

  WinogradTile tile_;
  int64_t images_ = 0, channels_ = 0;
  ConvAxis depth_;
  Axis rows_, columns_;
  CountedVector<Part> parts_;

 public:
  /// The addresses of the inputs of tiles in x.
  template <class T>
  class Inputs {
   public:
    Inputs(const WinogradTiles& tiles, const T* x, const T* zeros) : tiles_(tiles), x_(x), zeros_(zeros) {}

    /// Writes the addresses of the inputs of a tile's part, row by row. Those outside the image are `zeros`.
    void address(int64_t tile, int64_t part, const T** pixels);

   private:
    const WinogradTiles& tiles_;
    const T *x_, *zeros_;
    int64_t tile_ = -1;
    Position at_{};  // position of tile_
  };
};

}  // namespace linnet
