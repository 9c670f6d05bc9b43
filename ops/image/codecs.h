#pragma once

#include <string>

#include "linnet/error.h"
#include "linnet/image.h"
#include "tensor/counted_memory.h"

// One decoder per format, each in a separate file. Decoders whose library is missing from the build throw
// Error(kUnsupported).
namespace linnet {

Image decode_bmp(std::span<const uint8_t> bytes);
Image decode_jpeg(std::span<const uint8_t> bytes);
Image decode_jpeg2000(std::span<const uint8_t> bytes);
Image decode_png(std::span<const uint8_t> bytes);
Image decode_pnm(std::span<const uint8_t> bytes);
Image decode_tiff(std::span<const uint8_t> bytes);
Image decode_webp(std::span<const uint8_t> bytes);

/// Returns a black image. Charges `counted` with the memory of the image and with more_per_pixel bytes for each pixel,
/// which a library will need. A decoder calls this with the size in the header of the file, before it decodes.
/// Throws Error(kIo) for an empty image and Error(kLimit) for one that is too large.
Image blank_image(const char* format, int64_t height, int64_t width, CountedMemory& counted,
                  int64_t more_per_pixel = 0);

[[noreturn]] void throw_undecodable(const char* format, const std::string& why);
[[noreturn]] void throw_missing_library(const char* format, const char* library);

/// Converts a sample in [0, greatest] to one in [0, 255], rounded.
inline uint8_t scaled_sample(uint32_t sample, uint32_t greatest) {
  return greatest == 255 ? uint8_t(sample) : uint8_t((uint64_t{sample} * 255 + greatest / 2) / greatest);
}

}  // namespace linnet
