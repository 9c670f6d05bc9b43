#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace linnet::tool {

/// Whether the stream is a terminal that moves its cursor.
bool is_terminal(std::FILE* stream);
/// Whether text for the stream may have colours: on a terminal, unless the environment has NO_COLOR
/// (https://no-color.org).
bool has_colours(std::FILE* stream);

/// Text for stdout that tells of a failure: in red where stdout has colours.
std::string failed(const std::string& text);
/// Lines of text for stdout, with names of models in them: what is not printable is escaped, but for ends of lines and
/// the colours of failed().
std::string shown(std::string_view text);

}  // namespace linnet::tool
