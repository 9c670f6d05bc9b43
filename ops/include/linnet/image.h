#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linnet/export.h"
#include "linnet/fact.h"

namespace linnet {

/// An RGB image in row-major order from the top row, three bytes per pixel.
struct Image {
  int64_t height = 0;        ///< in pixels
  int64_t width = 0;         ///< in pixels
  std::vector<uint8_t> rgb;  ///< 3 * height * width bytes
};

/// Decodes an image file: JPEG, JPEG 2000, TIFF, BMP, WebP, PNG or PNM (P1 to P6), recognised by its first bytes.
/// Converts grey to RGB, drops alpha and scales samples of other depths to 8 bits. Decodes only the first image of a
/// file. Throws Error(kIo) for data that cannot be decoded, Error(kLimit) beyond 2^27 pixels, and Error(kUnsupported)
/// for a format whose library this build lacks.
LINNET_API Image decode_image(std::span<const uint8_t> bytes);

/// Reads and decodes an image file, as decode_image() does. Throws Error(kIo) if it cannot be read, too.
LINNET_API Image read_image(const std::string& path);

/// Converts an image to float32 [1,C,H,W] in 0..1. C is 1 (luma, ITU-R BT.601) where the input `wanted` has one
/// channel, else 3 (red, green, blue). H and W are those of `wanted` where they are numbers (resized bilinearly, pixel
/// centres aligned), else the image's. Subtracts no mean. Throws Error(kShape) or Error(kType) if `wanted` is not
/// float32 of rank 4.
LINNET_API Tensor image_tensor(const Image& image, const Fact& wanted);

}  // namespace linnet
