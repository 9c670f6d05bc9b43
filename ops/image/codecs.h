#pragma once

#include <string>

#include "linnet/error.h"
#include "linnet/image.h"
#include "tensor/counted_memory.h"

// One decoder per format, each in its own file. Those of a library that the build lacks throw Error(kUnsupported).
namespace linnet {

Image decode_bmp(std::span<const uint8_t> bytes);
Image decode_jpeg(std::span<const uint8_t> bytes);
Image decode_jpeg2000(std::span<const uint8_t> bytes);
Image decode_png(std::span<const uint8_t> bytes);
Image decode_pnm(std::span<const uint8_t> bytes);
Image decode_tiff(std::span<const uint8_t> bytes);
Image decode_webp(std::span<const uint8_t> bytes);

/// A black image, which counts as memory of `counted`, like more_per_pixel bytes for each pixel, which a library will
/// need: a decoder calls this with what the header of the file states, before it decodes. Throws Error(kIo) for an
/// empty image, Error(kLimit) for one that is too large.
Image blank_image(const char* format, int64_t height, int64_t width, CountedMemory& counted,
                  int64_t more_per_pixel = 0);

[[noreturn]] void throw_undecodable(const char* format, const std::string& why);
[[noreturn]] void throw_missing_library(const char* format, const char* library);

/// A sample of so many levels (greatest + 1) as one of 256.
inline uint8_t scaled_sample(uint32_t sample, uint32_t greatest) {
  return greatest == 255 ? uint8_t(sample) : uint8_t((uint64_t{sample} * 255 + greatest / 2) / greatest);
}

}  // namespace linnet
