#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linnet/export.h"
#include "linnet/fact.h"

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

/// The same for a file. Throws Error(kIo) where it cannot be read.
LINNET_API Image read_image(const std::string& path);

/// The image as float32 [1,C,H,W] in 0..1: C = 1 (luma, ITU-R BT.601) where the input `wanted` has one channel, else
/// 3 (red, green, blue). H and W are those of `wanted` where it has numbers (bilinear, pixel centres aligned), else
/// the image's. No mean is subtracted. Throws Error(kShape, kType) where `wanted` is no float32 of rank 4.
LINNET_API Tensor image_tensor(const Image& image, const Fact& wanted);

}  // namespace linnet
