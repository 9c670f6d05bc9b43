#include "image/codecs.h"
#include "tensor/counted_vector.h"

#ifdef LINNET_HAS_PNG
#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#endif

namespace linnet {

#ifdef LINNET_HAS_PNG
namespace {

constexpr int64_t kRowBytes = 32;     // The bytes of the library's rows for each pixel.
constexpr png_uint_32 kNoChunks = 1;  // Texts and similar chunks, which may decompress to any size, are skipped.

/// The library's state. read_header() and read_rows() hold no objects that a longjmp would skip.
class PngReader {
 public:
  explicit PngReader(std::span<const uint8_t> bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, [](png_structp, png_const_charp) {});
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw Error(ErrorKind::kLimit, "no memory for decoding a PNG image");
    }
    png_set_read_fn(png_, this, read);
    png_set_chunk_cache_max(png_, kNoChunks);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  bool read_header() {
    if (setjmp(back_)) return false;
    png_read_info(png_, info_);
    return true;
  }

  /// Decodes to 8-bit RGB without transparency and gamma correction.
  bool read_rows(uint8_t** rows) {
    if (setjmp(back_)) return false;
    png_set_palette_to_rgb(png_);
    if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png_, info_) < 8) {
      png_set_expand_gray_1_2_4_to_8(png_);
    }
    png_set_scale_16(png_);
    png_set_gray_to_rgb(png_);
    png_set_strip_alpha(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) != size_t(width()) * 3) png_error(png_, "unexpected length of rows");
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  int64_t height() const { return png_get_image_height(png_, info_); }
  int64_t width() const { return png_get_image_width(png_, info_); }
  const char* message() const { return message_.data(); }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
    std::snprintf(reader->message_.data(), reader->message_.size(), "%s", message);
    std::longjmp(reader->back_, 1);
  }

  static void read(png_structp png, png_bytep to, size_t n) {
    auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
    if (n > reader->rest_.size()) png_error(png, "the file ends early");
    std::memcpy(to, reader->rest_.data(), n);
    reader->rest_ = reader->rest_.subspan(n);
  }

  std::span<const uint8_t> rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf back_;
  std::array<char, 256> message_{};
};

}  // namespace

Image decode_png(std::span<const uint8_t> bytes) {
  PngReader png(bytes);
  if (!png.read_header()) throw_undecodable("PNG", png.message());
  CountedMemory counted;
  counted.add(size_t(checked_mul(png.width(), kRowBytes)));
  Image image = blank_image("PNG", png.height(), png.width(), counted);
  CountedVector<uint8_t*> rows;
  for (int64_t y = 0; y < image.height; ++y) rows.push_back(image.rgb.data() + y * image.width * 3);
  if (!png.read_rows(rows.data())) throw_undecodable("PNG", png.message());
  return image;
}
#else
Image decode_png(std::span<const uint8_t>) { throw_missing_library("PNG", "libpng"); }
#endif

}  // namespace linnet
