#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/export.h"

namespace linnet {

/// Returns the end of a message on an unknown name: "; did you mean 'x'?", where x is the first of the nearest names in
/// `known`. A name is near if at most two letters have to be inserted, removed or replaced; case does not
/// count. Returns "" if no name is near.
LINNET_API std::string did_you_mean(std::string_view name, std::span<const std::string> known);

/// The same for the names of values such as ValueInfo.
template <class Value>
requires requires(const Value& value) { std::string(value.name); }
std::string did_you_mean(std::string_view name, const std::vector<Value>& known) {
  std::vector<std::string> names;
  for (const Value& value : known) names.push_back(value.name);
  return did_you_mean(name, names);
}

}  // namespace linnet
