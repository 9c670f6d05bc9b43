#include <array>
#include <bit>

#include "image/codecs.h"
#include "partition/checkpoints.h"

// Source: https://learn.microsoft.com/en-us/windows/win32/gdi/bitmap-storage
namespace linnet {
namespace {

constexpr const char* kFormat = "BMP";
constexpr uint32_t kRgb = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3, kAlphaBitFields = 6;

/// Reads little-endian numbers at any position. Throws if the file ends early.
class Bytes {
 public:
  explicit Bytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint32_t number(uint64_t at, int count) const {
    if (at > bytes_.size() || bytes_.size() - at < uint64_t(count)) throw_undecodable(kFormat, "it ends early");
    uint32_t value = 0;
    for (int i = count; i-- > 0;) value = value << 8 | bytes_[at + uint64_t(i)];
    return value;
  }
  uint8_t byte(uint64_t at) const { return uint8_t(number(at, 1)); }

 private:
  std::span<const uint8_t> bytes_;
};

struct Header {
  int64_t width = 0, height = 0;
  bool from_top = false;
  uint32_t bits = 0, compression = kRgb;
  uint64_t pixels = 0, palette = 0;
  uint32_t palette_entry = 4, colours = 0;
  std::array<uint32_t, 3> masks{};  // red, green, blue
};

Header read_header(const Bytes& bytes) {
  Header h;
  h.pixels = bytes.number(10, 4);
  const uint32_t size = bytes.number(14, 4);
  if (size == 12) {
    h.width = bytes.number(18, 2);
    h.height = bytes.number(20, 2);
    h.bits = bytes.number(24, 2);
    h.palette_entry = 3;
  } else {
    h.width = int32_t(bytes.number(18, 4));
    const int64_t height = int32_t(bytes.number(22, 4));
    h.from_top = height < 0;
    h.height = height < 0 ? -height : height;
    h.bits = bytes.number(28, 2);
    h.compression = bytes.number(30, 4);
    h.colours = bytes.number(46, 4);
  }
  const bool fields = h.compression == kBitFields || h.compression == kAlphaBitFields;
  h.palette = 14 + uint64_t{size} + (size == 40 && fields ? (h.compression == kBitFields ? 12 : 16) : 0);
  h.masks =
      h.bits == 16 ? std::array<uint32_t, 3>{0x7c00, 0x3e0, 0x1f} : std::array<uint32_t, 3>{0xff0000, 0xff00, 0xff};
  for (uint64_t i = 0; fields && i < 3; ++i) h.masks[i] = bytes.number(54 + 4 * i, 4);
  return h;
}

void check_header(const Header& h) {
  const bool palette = h.bits == 1 || h.bits == 4 || h.bits == 8, direct = h.bits == 16 || h.bits == 24 || h.bits == 32;
  const bool fields = h.compression == kBitFields || h.compression == kAlphaBitFields;
  const bool fits = (h.compression == kRgb && (palette || direct)) || (fields && (h.bits == 16 || h.bits == 32)) ||
                    (h.compression == kRle8 && h.bits == 8) || (h.compression == kRle4 && h.bits == 4);
  if (!fits) throw_undecodable(kFormat, str(h.bits, " bits per pixel with compression ", h.compression));
}

class Decoder {
 public:
  Decoder(const Bytes& bytes, const Header& header)
      : bytes_(bytes), h_(header), image_(blank_image(kFormat, header.height, header.width, counted_)) {
    if (h_.bits <= 8) read_palette();
  }

  Image decode() {
    if (h_.compression == kRle8 || h_.compression == kRle4) {
      decode_runs();
    } else {
      decode_rows();
    }
    return std::move(image_);
  }

 private:
  using Colour = std::array<uint8_t, 3>;

  void read_palette() {
    const uint32_t most = 1u << h_.bits;
    const uint32_t count = h_.colours == 0 || h_.colours > most ? most : h_.colours;
    palette_.resize(most);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = h_.palette + i * h_.palette_entry;
      palette_[i] = {bytes_.byte(at + 2), bytes_.byte(at + 1), bytes_.byte(at)};
    }
  }

  /// Row 0 is the first in the file.
  void set(int64_t row, int64_t x, const Colour& colour) {
    const int64_t y = h_.from_top ? row : h_.height - 1 - row;
    std::copy(colour.begin(), colour.end(), image_.rgb.begin() + (y * h_.width + x) * 3);
  }

  void decode_rows() {
    const uint64_t pitch = (uint64_t(h_.width) * h_.bits + 31) / 32 * 4;
    for (int64_t row = 0; row < h_.height; ++row) {
      checkpoints_.add(h_.width * kPixel);
      for (int64_t x = 0; x < h_.width; ++x) set(row, x, pixel(h_.pixels + uint64_t(row) * pitch, uint64_t(x)));
    }
  }

  Colour pixel(uint64_t line, uint64_t x) const {
    if (h_.bits <= 8) {
      const uint64_t bit = x * h_.bits;
      return palette_[bytes_.byte(line + bit / 8) >> (8 - h_.bits - bit % 8) & ((1u << h_.bits) - 1)];
    }
    const uint32_t value = bytes_.number(line + x * h_.bits / 8, int(h_.bits / 8));
    Colour colour;
    for (size_t c = 0; c < 3; ++c) {
      const uint32_t mask = h_.masks[c];
      const int shift = std::countr_zero(mask);
      colour[c] = mask == 0 ? uint8_t{0} : scaled_sample((value & mask) >> shift, mask >> shift);
    }
    return colour;
  }

  void decode_runs() {
    uint64_t at = h_.pixels;
    for (int64_t row = 0, x = 0; row < h_.height;) {
      const uint8_t count = bytes_.byte(at), value = bytes_.byte(at + 1);
      at += 2;
      checkpoints_.add(std::max<int64_t>(count, value) * kPixel);
      if (count > 0) {
        for (int i = 0; i < count; ++i) put(row, x++, nibble_or_byte(value, i));
      } else if (value == 0) {
        ++row;
        x = 0;
      } else if (value == 1) {
        return;
      } else if (value == 2) {
        x += bytes_.byte(at);
        row += bytes_.byte(at + 1);
        at += 2;
      } else {
        at = literal(at, value, row, x);
      }
    }
  }

  uint64_t literal(uint64_t at, int count, int64_t row, int64_t& x) {
    const bool bytes = h_.compression == kRle8;
    for (int i = 0; i < count; ++i) put(row, x++, nibble_or_byte(bytes_.byte(at + uint64_t(bytes ? i : i / 2)), i));
    const uint64_t length = uint64_t(bytes ? count : (count + 1) / 2);
    return at + length + length % 2;
  }

  uint8_t nibble_or_byte(uint8_t value, int i) const {
    if (h_.compression == kRle8) return value;
    return i % 2 == 0 ? value >> 4 : value & 15;
  }

  void put(int64_t row, int64_t x, uint8_t index) {
    if (row < h_.height && x < h_.width) set(row, x, palette_[index]);
  }

  static constexpr int64_t kPixel = 8;  // nanoseconds

  const Bytes& bytes_;
  const Header& h_;
  Checkpoints checkpoints_;
  CountedMemory counted_;
  Image image_;
  std::vector<Colour> palette_;
};

}  // namespace

Image decode_bmp(std::span<const uint8_t> span) {
  const Bytes bytes(span);
  const Header header = read_header(bytes);
  check_header(header);
  return Decoder(bytes, header).decode();
}

}  // namespace linnet
