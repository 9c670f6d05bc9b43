#pragma once

#include <cstddef>
#include <memory_resource>
#include <string_view>

#include "json.h"

namespace linnet::pt2 {

/// Lists and objects inside of each other, at the most.
inline constexpr size_t kDeepestJson = 200;

/// Parses a text; the value is in `memory` and refers to the text. Throws Error(kModel) where it is no JSON,
/// Error(kLimit) beyond kDeepestJson or where it takes more than what may be allocated.
Json parse_json(std::string_view text, std::pmr::memory_resource& memory, CountedMemory& counted);

}  // namespace linnet::pt2
