#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "json.h"

namespace linnet::pt2 {

/// Lists and objects inside of each other, at the most.
inline constexpr size_t kDeepestJson = 200;

/// Parses a text. Throws Error(kModel) that begins with `name`, Error(kLimit) beyond kDeepestJson or where it takes
/// more than what may be allocated.
Json parse_json(const std::string& name, std::span<const std::byte> text, CountedMemory& counted);

}  // namespace linnet::pt2
