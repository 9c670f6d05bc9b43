#include "image.h"

#ifdef LINNET_WITH_JPEG
#include <array>
#include <csetjmp>
#include <cstdio>
#include <memory>
// jpeglib.h uses FILE and size_t without including them.
#include <jpeglib.h>
#endif

namespace linnet::tool {

#ifdef LINNET_WITH_JPEG
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

/// Decodes into `image`; false with manager.message on errors. Holds no objects that a longjmp would skip.
bool decode(jpeg_decompress_struct& info, ErrorManager& manager, std::FILE* file, Image& image) {
  if (setjmp(manager.back)) return false;
  jpeg_create_decompress(&info);
  jpeg_stdio_src(&info, file);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  image.height = info.output_height;
  image.width = info.output_width;
  image.rgb.resize(size_t(image.height * image.width * 3));
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = image.rgb.data() + size_t(info.output_scanline) * size_t(image.width) * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
  return jpeg_finish_decompress(&info);
}

}  // namespace

Image load_jpeg(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw Error(ErrorKind::kIo, path + ": cannot be read");
  jpeg_decompress_struct info{};
  ErrorManager manager{};
  info.err = jpeg_std_error(&manager.base);
  manager.base.error_exit = on_error;
  manager.base.output_message = [](j_common_ptr) {};
  Image image;
  const bool ok = decode(info, manager, file.get(), image);
  jpeg_destroy_decompress(&info);
  if (!ok) throw Error(ErrorKind::kIo, path + ": " + manager.message.data());
  return image;
}
#else
Image load_jpeg(const std::string& path) {
  throw Error(ErrorKind::kUnsupported, path + ": this build cannot read .jpg (built without LINNET_WITH_JPEG)");
}
#endif

}  // namespace linnet::tool
