#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace linnet::pt2 {

/// The bytes of the UTF-8 character that a text begins with; 0 where it is none.
size_t utf8_bytes(std::string_view text);

/// What a string of JSON with escapes stands for, without its quotes; nothing where an escape is wrong.
std::optional<std::string> unescaped(std::string_view text);

}  // namespace linnet::pt2
