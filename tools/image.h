#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linnet/fact.h"

namespace linnet::tool {

/// An RGB image, rows from the top, three bytes per pixel.
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> rgb;
};

/// True for file names that load_image reads: .png, .jpg, .jpeg, .ppm (P6).
bool is_image(const std::string& path);

/// Throws Error(kIo) for unreadable files, Error(kUnsupported) for formats that this build lacks.
Image load_image(const std::string& path);
Image load_png(const std::string& path);
Image load_jpeg(const std::string& path);
Image load_ppm(const std::string& path);

/// The image as float32 [1,C,H,W] in 0..1: C = 1 (luma, ITU-R BT.601) where the input `wanted` has one channel, else
/// 3 (red, green, blue). H and W are those of `wanted` where it has numbers (bilinear, pixel centres aligned), else
/// the image's. No mean is subtracted. Throws Error(kShape, kType) where `wanted` is no float32 of rank 4.
Tensor image_tensor(const Image& image, const Fact& wanted);

}  // namespace linnet::tool
