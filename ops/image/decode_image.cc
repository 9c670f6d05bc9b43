#include <algorithm>
#include <string_view>

#include "image/codecs.h"
#include "linnet/image.h"

namespace linnet {
namespace {

constexpr int64_t kMaxPixels = int64_t{1} << 27;

bool begins(std::span<const uint8_t> bytes, std::string_view signature, size_t offset = 0) {
  return bytes.size() >= offset + signature.size() &&
         std::equal(signature.begin(), signature.end(), bytes.begin() + std::ptrdiff_t(offset),
                    [](char a, uint8_t b) { return uint8_t(a) == b; });
}

bool is_tiff(std::span<const uint8_t> bytes) {
  using namespace std::string_view_literals;
  return begins(bytes, "II*\0"sv) || begins(bytes, "MM\0*"sv) || begins(bytes, "II+\0"sv) || begins(bytes, "MM\0+"sv);
}

bool is_jpeg2000(std::span<const uint8_t> bytes) {
  using namespace std::string_view_literals;
  return begins(bytes, "\0\0\0\x0cjP  \r\n\x87\n"sv) || begins(bytes, "\xff\x4f\xff\x51");
}

bool is_pnm(std::span<const uint8_t> bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6';
}

}  // namespace

Image blank_image(const char* format, int64_t height, int64_t width, CountedMemory& counted, int64_t more_per_pixel) {
  if (height < 1 || width < 1) throw_undecodable(format, str("an image of ", width, " x ", height, " pixels"));
  if (height > kMaxPixels / width) {
    throw Error(ErrorKind::kLimit, str(format, " image of ", width, " x ", height, " pixels: more than ", kMaxPixels));
  }
  const int64_t pixels = checked_mul(height, width);
  counted.add(size_t(checked_mul(pixels, checked_add(3, more_per_pixel))));
  return {height, width, std::vector<uint8_t>(size_t(checked_mul(pixels, 3)))};
}

void throw_undecodable(const char* format, const std::string& why) {
  throw Error(ErrorKind::kIo, str(format, " image cannot be decoded: ", why));
}

void throw_missing_library(const char* format, const char* library) {
  throw Error(ErrorKind::kUnsupported,
              str("this build cannot decode ", format, " images (built without ", library, ")"));
}

Image decode_image(std::span<const uint8_t> bytes) {
  if (begins(bytes, "\xff\xd8\xff")) return decode_jpeg(bytes);
  if (begins(bytes, "\x89PNG")) return decode_png(bytes);
  if (begins(bytes, "RIFF") && begins(bytes, "WEBP", 8)) return decode_webp(bytes);
  if (is_tiff(bytes)) return decode_tiff(bytes);
  if (is_jpeg2000(bytes)) return decode_jpeg2000(bytes);
  if (begins(bytes, "BM")) return decode_bmp(bytes);
  if (is_pnm(bytes)) return decode_pnm(bytes);
  throw Error(ErrorKind::kIo, str("expected a JPEG, JPEG 2000, TIFF, BMP, WebP, PNG or PNM image, got ", bytes.size(),
                                  " bytes of something else"));
}

}  // namespace linnet
