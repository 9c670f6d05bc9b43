#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace linnet::ort {

/// Texts by name, and the arrays of pointers to them that the C ABI returns.
struct KeyValuePairs {
  KeyValuePairs() = default;
  explicit KeyValuePairs(std::map<std::string, std::string> texts) : entries(std::move(texts)) { index(); }

  std::map<std::string, std::string> entries;
  std::vector<const char*> keys, values;

  void set(const std::string& key, const std::string& value);
  /// Rebuilds `keys` and `values`.
  void index();
};

}  // namespace linnet::ort
