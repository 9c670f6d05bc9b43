#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linnet/export.h"

namespace linnet {

/// An RGB image, rows from the top, three bytes per pixel.
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> rgb;
};

/// Decodes an image file: JPEG, JPEG 2000, TIFF, BMP, WebP, PNG or PNM (P1 to P6), told apart by their first bytes.
/// Grey becomes RGB, alpha is dropped, samples of other than 8 bits are scaled to 8. Of several images in a file the
/// first is taken. Throws Error(kIo) for data that cannot be decoded, Error(kLimit) beyond 2^27 pixels,
/// Error(kUnsupported) for a format whose library this build lacks.
LINNET_API Image decode_image(std::span<const uint8_t> bytes);

/// The luma of an RGB pixel as ITU-R BT.601 weighs it, in 16-bit fixed point.
inline uint8_t luma(const uint8_t* rgb) {
  return uint8_t((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16);
}

}  // namespace linnet
