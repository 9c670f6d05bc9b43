#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace linnet::tool {

/// UTF-8 from little-endian UTF-32 code units; trailing zeros are padding.
std::string utf8_from_utf32(std::span<const std::byte> bytes);

/// Calls f with each code point of UTF-8 text. A byte that is not valid UTF-8 becomes U+FFFD.
void for_each_code(const std::string& text, const std::function<void(char32_t)>& f);
/// The number of these code points.
size_t utf32_length(const std::string& text);
std::u32string utf32_from_utf8(const std::string& text);

}  // namespace linnet::tool
