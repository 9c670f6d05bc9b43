#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "linnet/fact.h"
#include "linnet/model.h"
#include "roofline/roofline.h"
#include "tensor/quantity.h"

namespace linnet::tool {

using Json = nlohmann::ordered_json;

/// Writes JSON to a file, or to stdout for "-". Numbers that JSON lacks become "NaN", "Infinity" and "-Infinity".
void write_json(Json json, const std::string& json_path);
/// Writes the result of a verb: the JSON to `json_path` ("-": stdout) if that is not empty, and the text to stdout
/// unless the JSON is written there.
void report(const std::string& text, const Json& json, const std::string& json_path);

/// A signal-to-noise ratio: "39.3", "exact" without noise, "-" if it is not known.
std::string decibels(double db);
/// The ratio in JSON; null if it is not known.
Json ratio_json(double db);
/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

/// A number, an expression, or null if it is unknown.
Json to_json(const Dim& dim);
/// {"name", "dtype", "shape"}; open dims are expressions or null; shape is null if the rank is unknown.
Json to_json(const ValueInfo& info);
/// "weights 97.5 MiB + packed 96.1 MiB + arena 11.8 MiB + scratch 1.2 MiB"
std::string describe(const MemoryReport& memory);
Json to_json(const MemoryReport& memory);
/// "float32 160 GFLOP/s, float64 80.1, 8-bit integers 318, memory 12.3 GB/s, with 2 threads"
std::string describe(const Roofline& roofline);
Json to_json(const Roofline& roofline);

}  // namespace linnet::tool
