#pragma once

#include <cstddef>
#include <memory_resource>
#include <string_view>

#include "json.h"

namespace linnet::pt2 {

/// The maximum nesting of arrays and objects.
inline constexpr size_t kDeepestJson = 200;

/// Parses a text. The value is stored in `memory` and refers to the text. Throws Error(kModel) if it is not JSON,
/// Error(kLimit) beyond kDeepestJson or if it needs more memory than may be allocated.
Json parse_json(std::string_view text, std::pmr::memory_resource& memory, CountedMemory& counted);

}  // namespace linnet::pt2
