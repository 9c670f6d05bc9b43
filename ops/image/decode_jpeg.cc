#include "image/codecs.h"
#include "tensor/counted_vector.h"

#ifdef LINNET_HAS_JPEG
#include <array>
#include <csetjmp>
#include <cstdio>
// jpeglib.h uses FILE and size_t without including them.
#include <jpeglib.h>
#endif

namespace linnet {

#ifdef LINNET_HAS_JPEG
namespace {

struct ErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf back;
  std::array<char, JMSG_LENGTH_MAX> message;
};

void on_error(j_common_ptr info) {
  auto* manager = reinterpret_cast<ErrorManager*>(info->err);
  info->err->format_message(info, manager->message.data());
  std::longjmp(manager->back, 1);
}

/// The library's state. read_header() and read_rows() hold no objects that a longjmp would skip.
class Decompressor {
 public:
  Decompressor() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = on_error;
    errors_.base.output_message = [](j_common_ptr) {};
  }
  ~Decompressor() { jpeg_destroy_decompress(&info_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  bool read_header(std::span<const uint8_t> bytes) {
    if (setjmp(errors_.back)) return false;
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, bytes.data(), static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&info_, TRUE);
    info_.out_color_space = info_.num_components == 4 ? JCS_CMYK : JCS_RGB;
    return true;
  }

  bool read_rows(uint8_t* pixels) {
    if (setjmp(errors_.back)) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = pixels + size_t(info_.output_scanline) * size_t(info_.output_width) * size_t(channels());
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  int channels() const { return info_.num_components == 4 ? 4 : 3; }
  /// The bytes per pixel that the library needs. For an image in several scans, it holds all coefficients.
  int64_t bytes_per_pixel() {
    return jpeg_has_multiple_scans(&info_) ? checked_mul(sizeof(JCOEF), info_.num_components) : 1;
  }
  bool inverted() const { return info_.saw_Adobe_marker; }
  int64_t height() const { return info_.image_height; }
  int64_t width() const { return info_.image_width; }
  const char* message() const { return errors_.message.data(); }

 private:
  jpeg_decompress_struct info_{};
  ErrorManager errors_{};
};

/// Converts CMYK to RGB. Adobe's files contain the complements of the inks.
void convert_cmyk(std::span<const uint8_t> cmyk, bool inverted, std::vector<uint8_t>& rgb) {
  for (size_t i = 0; i < rgb.size() / 3; ++i) {
    const auto light = [&](size_t c) { return uint32_t(inverted ? cmyk[4 * i + c] : 255 - cmyk[4 * i + c]); };
    for (size_t c = 0; c < 3; ++c) rgb[3 * i + c] = uint8_t((light(c) * light(3) + 127) / 255);
  }
}

}  // namespace

Image decode_jpeg(std::span<const uint8_t> bytes) {
  Decompressor jpeg;
  if (!jpeg.read_header(bytes)) throw_undecodable("JPEG", jpeg.message());
  CountedMemory counted;
  Image image = blank_image("JPEG", jpeg.height(), jpeg.width(), counted, jpeg.bytes_per_pixel());
  CountedVector<uint8_t> cmyk(jpeg.channels() == 4 ? image.rgb.size() / 3 * 4 : 0);
  if (!jpeg.read_rows(cmyk.empty() ? image.rgb.data() : cmyk.data())) throw_undecodable("JPEG", jpeg.message());
  if (!cmyk.empty()) convert_cmyk(cmyk, jpeg.inverted(), image.rgb);
  return image;
}
#else
Image decode_jpeg(std::span<const uint8_t>) { throw_missing_library("JPEG", "libjpeg"); }
#endif

}  // namespace linnet
