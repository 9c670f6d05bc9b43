#pragma once

#include <optional>
#include <string>
#include <utility>

#include "linnet/shape.h"

namespace linnet::tool {

/// "a=b" split at the first separator. nullopt without one, or with nothing before it.
std::optional<std::pair<std::string, std::string>> split_first(const std::string& text, char separator);
/// The same at the last separator.
std::optional<std::pair<std::string, std::string>> split_last(const std::string& text, char separator);

/// "12" as a number >= 0; nullopt where it is none.
std::optional<int64_t> parse_size(const std::string& text);
/// "0.001" or "1e-3"; nullopt where it is no finite number.
std::optional<double> parse_double(const std::string& text);
/// "1x3x224x224"; "" or "scalar" is rank 0; nullopt where it is no shape.
std::optional<Shape> parse_shape(const std::string& text);

}  // namespace linnet::tool
