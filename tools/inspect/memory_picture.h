#pragma once

#include <string>

#include "inspect/memory_map.h"
#include "linnet/model.h"

namespace linnet::tool {

/// The map as an SVG: a rectangle for each value, which spans the nodes (x axis) during which it is stored and its
/// bytes (y axis). `memory`: of the mapped run.
std::string memory_picture(const std::string& model, const MemoryMap& map, const MemoryReport& memory);

}  // namespace linnet::tool
