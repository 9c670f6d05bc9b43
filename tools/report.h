#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "linnet/fact.h"
#include "linnet/model.h"

namespace linnet::tool {

using Json = nlohmann::ordered_json;

/// Writes the result of a verb: the JSON to `json_path` ("-": stdout) where that is not empty, and the text to stdout
/// unless the JSON goes there.
void report(const std::string& text, const Json& json, const std::string& json_path);

/// "97.5 MiB"
std::string human_bytes(int64_t bytes);
/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

/// {"name", "dtype", "shape"}; open dims are their symbol, or null; shape is null where the rank is unknown.
Json to_json(const ValueInfo& info);
/// "weights 97.5 MiB + packed 96.1 MiB + arena 11.8 MiB + scratch 1.2 MiB"
std::string describe(const MemoryReport& memory);
Json to_json(const MemoryReport& memory);

}  // namespace linnet::tool
