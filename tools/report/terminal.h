#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace linnet::tool {

/// Whether the stream is a terminal that supports moving its cursor.
bool is_terminal(std::FILE* stream);
/// Whether text for the stream may have colours: on a terminal, unless the environment has NO_COLOR
/// (https://no-color.org).
bool has_colours(std::FILE* stream);

/// Text for stdout about a failure: in red if stdout has colours.
std::string failed(const std::string& text);
/// Lines of text for stdout that contain names from models. Escapes characters that are not printable, except line ends
/// and the colours of failed().
std::string shown(std::string_view text);

}  // namespace linnet::tool
