#include <algorithm>

#include "image/codecs.h"
#include "partition/checkpoints.h"

namespace linnet {
namespace {

constexpr const char* kFormat = "PNM";

bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint8_t byte() {
    if (at_ == bytes_.size()) throw_undecodable(kFormat, "it ends early");
    return bytes_[at_++];
  }

  /// Reads a decimal number after white space and comments.
  int64_t number() {
    skip();
    const size_t begin = at_;
    int64_t value = 0;
    for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9'; ++at_) {
      value = std::min<int64_t>(value * 10 + (bytes_[at_] - '0'), int64_t{1} << 32);
    }
    if (at_ == begin) throw_undecodable(kFormat, str("expected a number at byte ", at_));
    return value;
  }

  /// Reads a 0 or 1. Digits need no white space between them.
  uint32_t digit() {
    skip();
    return byte() == '0' ? 0 : 1;
  }

 private:
  void skip() {
    while (at_ < bytes_.size() && (is_space(bytes_[at_]) || bytes_[at_] == '#')) {
      const bool comment = bytes_[at_] == '#';
      while (comment && at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      if (at_ < bytes_.size()) ++at_;
    }
  }

  std::span<const uint8_t> bytes_;
  size_t at_ = 2;
};

/// The encoding of samples: P1 to P3 are text, P4 to P6 are binary. Samples are bits, grey or colour.
struct Kind {
  bool text, bits, colour;
  uint32_t greatest = 1;
};

void read_bitmap(Reader& reader, Image& image) {
  Checkpoints checkpoints;
  for (int64_t y = 0; y < image.height; ++y) {
    checkpoints.add(image.width * 4);
    uint8_t bits = 0;
    for (int64_t x = 0; x < image.width; ++x) {
      if (x % 8 == 0) bits = reader.byte();
      const bool black = bits >> (7 - x % 8) & 1;
      std::fill_n(image.rgb.data() + (y * image.width + x) * 3, 3, black ? uint8_t{0} : uint8_t{255});
    }
  }
}

uint8_t read_sample(Reader& reader, const Kind& kind) {
  if (kind.bits) return reader.digit() ? 0 : 255;
  uint32_t value = 0;
  if (kind.text) {
    value = uint32_t(std::min<int64_t>(reader.number(), kind.greatest));
  } else {
    value = reader.byte();
    if (kind.greatest > 255) value = value << 8 | reader.byte();
  }
  return scaled_sample(std::min(value, kind.greatest), kind.greatest);
}

}  // namespace

Image decode_pnm(std::span<const uint8_t> bytes) {
  const int number = bytes[1] - '0';
  Kind kind{number <= 3, number % 3 == 1, number % 3 == 0};
  Reader reader(bytes);
  const int64_t width = reader.number(), height = reader.number();
  if (!kind.bits) {
    const int64_t greatest = reader.number();
    if (greatest < 1 || greatest > 65535) throw_undecodable(kFormat, str(greatest, " is not a valid greatest value"));
    kind.greatest = uint32_t(greatest);
  }
  if (!kind.text) reader.byte();
  CountedMemory counted;
  Image image = blank_image(kFormat, height, width, counted);
  if (kind.bits && !kind.text) {
    read_bitmap(reader, image);
    return image;
  }
  Checkpoints checkpoints;
  for (size_t i = 0; i < image.rgb.size(); i += 3) {
    checkpoints.add(24);
    for (size_t c = 0; c < 3; ++c) image.rgb[i + c] = c == 0 || kind.colour ? read_sample(reader, kind) : image.rgb[i];
  }
  return image;
}

}  // namespace linnet
