#include "key_value_pairs.h"

#include "slots.h"
#include "status.h"

namespace linnet::ort {

void KeyValuePairs::set(const std::string& key, const std::string& value) {
  entries[key] = value;
  index();
}

void KeyValuePairs::index() {
  keys.clear();
  values.clear();
  for (const auto& [key, value] : entries) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
}

void CreateKeyValuePairs(KeyValuePairs** pairs) noexcept {
  if (pairs) *pairs = guarded_value<KeyValuePairs*>(nullptr, [] { return new KeyValuePairs; });
}

void AddKeyValuePair(KeyValuePairs* pairs, const char* key, const char* value) noexcept {
  if (!pairs || !key || !value || !*key) return;
  guarded_value(false, [&] { return pairs->set(key, value), true; });
}

const char* GetKeyValue(const KeyValuePairs* pairs, const char* key) noexcept {
  return guarded_value<const char*>(nullptr, [&]() -> const char* {
    if (!pairs || !key) return nullptr;
    const auto found = pairs->entries.find(key);
    return found == pairs->entries.end() ? nullptr : found->second.c_str();
  });
}

void GetKeyValuePairs(const KeyValuePairs* pairs, const char* const** keys, const char* const** values,
                      size_t* count) noexcept {
  if (keys) *keys = pairs ? pairs->keys.data() : nullptr;
  if (values) *values = pairs ? pairs->values.data() : nullptr;
  if (count) *count = pairs ? pairs->keys.size() : 0;
}

void RemoveKeyValuePair(KeyValuePairs* pairs, const char* key) noexcept {
  if (!pairs || !key) return;
  guarded_value(false, [&] { return pairs->entries.erase(key), pairs->index(), true; });
}

void ReleaseKeyValuePairs(KeyValuePairs* pairs) noexcept { delete pairs; }

}  // namespace linnet::ort
