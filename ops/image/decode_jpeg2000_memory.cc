#include "image/decode_jpeg2000_memory.h"

#include <algorithm>
#include <optional>

#include "linnet/error.h"
#include "linnet/shape.h"
#include "partition/parts.h"

// Source: ITU-T T.800, annexes A (markers) and I (boxes).
// The sizes of the library's structures are those of version 2.5, rounded up.
namespace linnet {
namespace {

constexpr int64_t kSampleBytes = 4;
constexpr int64_t kTileBytes = 6 << 10, kTileComponentBytes = 1200, kResolutionBytes = 2 << 10, kBlockBytes = 1 << 10;

constexpr uint64_t kCodestreamBox = 0x6a703263;  // "jp2c"
constexpr uint64_t kStart = 0xff4f, kSize = 0xff51, kStyle = 0xff52, kComponentStyle = 0xff53, kTilePart = 0xff90,
                   kData = 0xff93, kEnd = 0xffd9;

/// Reads big-endian numbers. Bytes after the end are 0.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool holds(uint64_t at) const { return at < bytes_.size(); }
  uint64_t number(uint64_t at, uint64_t count) const {
    uint64_t value = 0;
    for (uint64_t i = 0; i < count; ++i) value = value << 8 | (holds(at + i) ? bytes_[at + i] : uint8_t{0});
    return value;
  }

 private:
  std::span<const uint8_t> bytes_;
};

/// The position of the codestream: the start of the file, or the contents of the first box of type `jp2c`.
std::optional<uint64_t> codestream(const Reader& bytes) {
  if (bytes.number(0, 2) == kStart) return 0;
  for (uint64_t at = 0; bytes.holds(at + 7);) {
    const bool wide = bytes.number(at, 4) == 1;
    const uint64_t length = wide ? bytes.number(at + 8, 8) : bytes.number(at, 4), header = wide ? 16 : 8;
    if (bytes.number(at + 4, 4) == kCodestreamBox) return at + header;
    if (length < header || !bytes.holds(length)) return std::nullopt;
    at += length;
  }
  return std::nullopt;
}

/// Reads the main and tile-part headers of a codestream.
class Codestream {
 public:
  explicit Codestream(const Reader& bytes) : bytes_(bytes) {}

  void read(uint64_t begin) {
    uint64_t part = 0, part_bytes = 0;
    for (uint64_t at = begin + 2; bytes_.holds(at + 3);) {
      const uint64_t marker = bytes_.number(at, 2), length = bytes_.number(at + 2, 2);
      if (marker == kEnd || length < 2) return;
      if (marker == kSize && samples_ == 0) read_size(at);
      if (marker == kStyle) read_style(at + 9, bytes_.number(at + 4, 1), bytes_.number(at + 6, 2));
      if (marker == kComponentStyle) {
        const uint64_t style = at + 4 + (components_ < 257 ? 1 : 2);
        read_style(style + 1, bytes_.number(style, 1), 0);
      }
      if (marker == kTilePart) {
        part = at;
        part_bytes = bytes_.number(at + 6, 4);
      }
      if (marker != kData) {
        at += 2 + length;
      } else if (part_bytes > at - part) {
        at = part + part_bytes;
      } else {
        return;
      }
    }
  }

  int64_t memory() const {
    const int64_t of_tile = checked_add(kTileBytes, checked_mul(components_, kTileComponentBytes));
    const int64_t precincts = checked_mul(of_image(precinct_), checked_mul(components_, levels_));
    int64_t bytes = checked_mul(checked_add(samples_, std::min(samples_, tile_samples_)), kSampleBytes);
    bytes = checked_add(bytes, checked_mul(tiles_, of_tile));
    bytes = checked_add(bytes, checked_mul(checked_mul(components_, levels_), kResolutionBytes));
    bytes = checked_add(bytes, checked_mul(checked_mul(of_image(block_), components_), kBlockBytes));
    return checked_add(bytes, checked_mul(precincts, checked_mul(layers_, int64_t{sizeof(int16_t)})));
  }

 private:
  /// The binary logarithms of a width and a height.
  struct Area {
    int width = 15, height = 15;
  };

  int64_t field(uint64_t at) const { return int64_t(bytes_.number(at, 4)); }

  void read_size(uint64_t at) {
    width_ = std::max<int64_t>(0, field(at + 6) - field(at + 14));
    height_ = std::max<int64_t>(0, field(at + 10) - field(at + 18));
    const int64_t tile_width = std::max<int64_t>(1, field(at + 22)), tile_height = std::max<int64_t>(1, field(at + 26));
    const auto count = [](int64_t length, int64_t tile) { return std::max<int64_t>(1, ceil_div(length, tile)); };
    tiles_ = checked_mul(count(field(at + 6) - field(at + 30), tile_width),
                         count(field(at + 10) - field(at + 34), tile_height));
    components_ = int64_t(bytes_.number(at + 38, 2));
    if (tiles_ > 1) tile_samples_ = checked_mul(components_, checked_mul(tile_width, tile_height));
    for (int64_t c = 0; c < components_; ++c) {
      const auto step = [&](uint64_t which) {
        return std::max<int64_t>(1, int64_t(bytes_.number(at + 40 + uint64_t(checked_mul(3, c)) + which, 1)));
      };
      const int64_t of_component = checked_mul(width_ / step(1) + 1, height_ / step(2) + 1);
      samples_ = checked_add(samples_, of_component);
    }
  }

  /// Reads the parameters that the styles of all components and of one component share, starting at the number of
  /// levels.
  void read_style(uint64_t at, uint64_t flags, uint64_t layers) {
    const uint64_t levels = std::min<uint64_t>(bytes_.number(at, 1), 32) + 1;
    levels_ = std::max(levels_, int64_t(levels));
    layers_ = std::max(layers_, int64_t(layers));
    const Area block{int(bytes_.number(at + 1, 1) & 15) + 2, int(bytes_.number(at + 2, 1) & 15) + 2};
    lower(block, block_);
    for (uint64_t i = 0; (flags & 1) != 0 && i < levels; ++i) {
      const auto exponents = int(bytes_.number(at + 5 + i, 1));
      const Area precinct{exponents & 15, exponents >> 4};
      lower(precinct, precinct_);
      // Blocks are parts of the subbands, which have half the extent of their resolution.
      const int half = i == 0 ? 0 : 1;
      lower({std::max(0, precinct.width - half), std::max(0, precinct.height - half)}, block_);
    }
  }

  static void lower(const Area& area, Area& least) {
    least.width = std::min(least.width, area.width);
    least.height = std::min(least.height, area.height);
  }

  /// An upper bound of the number of areas in the image: twice the number at full resolution, for edges and coarser
  /// resolutions.
  int64_t of_image(const Area& area) const {
    return checked_mul(2, checked_mul((width_ >> area.width) + 1, (height_ >> area.height) + 1));
  }

  const Reader& bytes_;
  int64_t width_ = 0, height_ = 0, samples_ = 0, tile_samples_ = 0, tiles_ = 0, components_ = 0, levels_ = 1,
          layers_ = 1;
  Area precinct_, block_;
};

}  // namespace

int64_t jpeg2000_memory(std::span<const uint8_t> bytes) {
  const Reader reader(bytes);
  const auto begin = codestream(reader);
  if (!begin) return 0;
  Codestream stream(reader);
  stream.read(*begin);
  return stream.memory();
}

}  // namespace linnet
