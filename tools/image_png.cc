#include "image.h"

#ifdef LINNET_WITH_PNG
#include <png.h>
#endif

namespace linnet::tool {

#ifdef LINNET_WITH_PNG
Image load_png(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&png, path.c_str())) throw Error(ErrorKind::kIo, path + ": " + png.message);
  png.format = PNG_FORMAT_RGB;
  Image image{png.height, png.width, std::vector<uint8_t>(size_t{png.height} * png.width * 3)};
  const png_color black{};
  if (!png_image_finish_read(&png, &black, image.rgb.data(), 0, nullptr)) {
    throw Error(ErrorKind::kIo, path + ": " + png.message);
  }
  return image;
}
#else
Image load_png(const std::string& path) {
  throw Error(ErrorKind::kUnsupported, path + ": this build cannot read .png (built without LINNET_WITH_PNG)");
}
#endif

}  // namespace linnet::tool
