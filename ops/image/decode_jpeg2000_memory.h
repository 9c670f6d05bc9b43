#pragma once

#include <cstdint>
#include <span>

namespace linnet {

/// At most so many bytes libopenjp2 needs to decode an image, by what the headers of the file state: samples, tiles,
/// precincts, blocks and layers. 0 where there is no header to be found; what the library then says of the file holds.
int64_t jpeg2000_memory(std::span<const uint8_t> bytes);

}  // namespace linnet
