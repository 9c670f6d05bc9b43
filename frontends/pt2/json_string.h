#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace linnet::pt2 {

/// Returns the number of bytes of the UTF-8 character that a text begins with, or 0 if it begins with no such
/// character.
size_t utf8_bytes(std::string_view text);

/// Returns the value of a JSON string with escapes, given without quotes. Returns nothing if an escape is wrong.
std::optional<std::string> unescaped(std::string_view text);

}  // namespace linnet::pt2
