#pragma once

#include <cstdint>
#include <span>

namespace linnet {

/// Returns an upper bound of the bytes that libopenjp2 needs to decode an image, computed from the headers of the file:
/// samples, tiles, precincts, blocks and layers. Returns 0 if there is no codestream; the library then reports the
/// error.
int64_t jpeg2000_memory(std::span<const uint8_t> bytes);

}  // namespace linnet
