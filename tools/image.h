#pragma once

#include <string>

#include "image/decode_image.h"
#include "linnet/fact.h"

namespace linnet::tool {

/// True for file names of the formats that load_image reads: .png, .jpg, .jpeg, .jp2, .j2k, .bmp, .tif, .tiff, .webp,
/// .pbm, .pgm, .ppm, .pnm.
bool is_image(const std::string& path);

/// Throws Error(kIo) for unreadable files, and what decode_image() throws.
Image load_image(const std::string& path);

/// The image as float32 [1,C,H,W] in 0..1: C = 1 (luma, ITU-R BT.601) where the input `wanted` has one channel, else
/// 3 (red, green, blue). H and W are those of `wanted` where it has numbers (bilinear, pixel centres aligned), else
/// the image's. No mean is subtracted. Throws Error(kShape, kType) where `wanted` is no float32 of rank 4.
Tensor image_tensor(const Image& image, const Fact& wanted);

}  // namespace linnet::tool
