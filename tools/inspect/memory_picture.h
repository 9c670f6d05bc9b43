#pragma once

#include <string>

#include "inspect/memory_map.h"
#include "linnet/model.h"

namespace linnet::tool {

/// The map as an SVG: a rectangle for each value, over the nodes (to the right) during which it is stored at its bytes
/// (up). `memory`: of the run that the map is of.
std::string memory_picture(const std::string& model, const MemoryMap& map, const MemoryReport& memory);

}  // namespace linnet::tool
