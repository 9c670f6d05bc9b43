#include "image/codecs.h"

#ifdef LINNET_HAS_WEBP
#include <webp/decode.h>
#endif

namespace linnet {

#ifdef LINNET_HAS_WEBP
namespace {

// The library's bytes for each pixel: a word of the lossless form, alpha and its prediction.
constexpr int64_t kLibraryBytes = 6;

}  // namespace

Image decode_webp(std::span<const uint8_t> bytes) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK) {
    throw_undecodable("WebP", "its header is damaged");
  }
  if (features.has_animation) throw_undecodable("WebP", "it is an animation");
  CountedMemory counted;
  Image image = blank_image("WebP", features.height, features.width, counted, kLibraryBytes);
  if (!WebPDecodeRGBInto(bytes.data(), bytes.size(), image.rgb.data(), image.rgb.size(), int(image.width * 3))) {
    throw_undecodable("WebP", "its data is damaged");
  }
  return image;
}
#else
Image decode_webp(std::span<const uint8_t>) { throw_missing_library("WebP", "libwebp"); }
#endif

}  // namespace linnet
