#include "values/parse_text.h"

#include <charconv>
#include <cmath>

namespace linnet::tool {
namespace {

std::optional<std::pair<std::string, std::string>> split_at(const std::string& text, size_t at) {
  if (at == std::string::npos || at == 0) return std::nullopt;
  return std::pair{text.substr(0, at), text.substr(at + 1)};
}

template <class T>
std::optional<T> parse_number(const std::string& text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [next, code] = std::from_chars(text.data(), end, value);
  return code == std::errc() && next == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::pair<std::string, std::string>> split_first(const std::string& text, char separator) {
  return split_at(text, text.find(separator));
}

std::optional<std::pair<std::string, std::string>> split_last(const std::string& text, char separator) {
  return split_at(text, text.rfind(separator));
}

std::optional<int64_t> parse_size(const std::string& text) {
  const auto value = parse_number<int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<double> parse_double(const std::string& text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<Shape> parse_shape(const std::string& text) {
  Shape shape;
  if (text.empty() || text == "scalar") return shape;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('x', at), text.size());
    const auto dim = parse_size(text.substr(at, end - at));
    if (!dim || shape.rank() == kMaxRank) return std::nullopt;
    shape.push_back(*dim);
    at = end + 1;
  }
  return shape;
}

}  // namespace linnet::tool
