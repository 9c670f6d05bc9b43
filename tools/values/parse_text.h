#pragma once

#include <optional>
#include <string>
#include <utility>

#include "linnet/shape.h"

namespace linnet::tool {

/// "a=b" split at the first separator; nullopt if there is no separator or nothing before it.
std::optional<std::pair<std::string, std::string>> split_first(const std::string& text, char separator);
/// The same, split at the last separator.
std::optional<std::pair<std::string, std::string>> split_last(const std::string& text, char separator);

/// "12" as a number of at least 0; nullopt for any other text.
std::optional<int64_t> parse_size(const std::string& text);
/// "0.001" or "1e-3" as a number; nullopt if it is not a finite number.
std::optional<double> parse_double(const std::string& text);
/// "1x3x224x224" as a shape; "" or "scalar" is rank 0; nullopt if it is not a shape.
std::optional<Shape> parse_shape(const std::string& text);

}  // namespace linnet::tool
