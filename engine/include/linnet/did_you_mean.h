#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/export.h"

namespace linnet {

/// The end of a message on an unknown name: "; did you mean 'x'?" for the first of the known names that are nearest to
/// it, at most two letters away, capitals counting as small letters; "" where there is no such name.
LINNET_API std::string did_you_mean(std::string_view name, std::span<const std::string> known);

/// The same for values with names, as ValueInfo.
template <class Value>
requires requires(const Value& value) { std::string(value.name); }
std::string did_you_mean(std::string_view name, const std::vector<Value>& known) {
  std::vector<std::string> names;
  for (const Value& value : known) names.push_back(value.name);
  return did_you_mean(name, names);
}

}  // namespace linnet
