#include "report/report.h"

#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "report/terminal.h"
#include "values/files.h"

namespace linnet::tool {

namespace {

/// Replaces numbers that JSON lacks by texts.
void spell_non_finite(Json& json) {
  if (json.is_structured()) {
    for (Json& part : json) spell_non_finite(part);
  } else if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    const double value = json.get<double>();
    json = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  }
}

}  // namespace

void write_json(Json json, const std::string& json_path) {
  spell_non_finite(json);
  const bool only_ascii = json_path == "-";  // so that a terminal shows no control characters of names in a model
  write_text(json_path, json.dump(2, ' ', only_ascii, Json::error_handler_t::replace) + "\n");
}

void report(const std::string& text, const Json& json, const std::string& json_path) {
  if (json_path != "-") write_text("-", shown(text));
  if (!json_path.empty()) write_json(json, json_path);
}

std::string decibels(double db) {
  return std::isnan(db) ? "-" : std::isinf(db) && db > 0 ? "exact" : format("%.1f", db);
}

Json ratio_json(double db) { return std::isnan(db) ? Json() : Json(db); }

std::string format(const char* pattern, ...) {
  std::array<char, 1024> text{};
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, arguments);
  va_end(arguments);
  return text.data();
}

Json to_json(const Dim& dim) {
  return dim.known() ? Json(dim.value()) : dim.text().empty() ? Json() : Json(dim.text());
}

Json to_json(const ValueInfo& info) {
  Json shape;
  if (info.fact.has_rank()) {
    shape = Json::array();
    for (const Dim& dim : *info.fact.dims) {
      shape.push_back(to_json(dim));
    }
  }
  return {{"name", info.name}, {"dtype", dtype_name(info.fact.dtype)}, {"shape", shape}};
}

std::string describe(const MemoryReport& memory) {
  return "weights " + human_bytes(memory.weights_bytes) + " + packed " + human_bytes(memory.packed_bytes) +
         " + arena " + human_bytes(memory.arena_bytes) + " + scratch " + human_bytes(memory.scratch_bytes);
}

Json to_json(const MemoryReport& memory) {
  return {{"weights_bytes", memory.weights_bytes},
          {"packed_bytes", memory.packed_bytes},
          {"arena_bytes", memory.arena_bytes},
          {"scratch_bytes", memory.scratch_bytes}};
}

std::string describe(const Roofline& r) {
  const auto gflops = [&](size_t i) { return fixed_number(2e-9 * r.peaks[i].multiply_adds_per_s, 4); };
  return str("float32 ", gflops(0), " GFLOP/s, float64 ", gflops(1), ", 8-bit integers ", gflops(2), ", memory ",
             fixed_number(1e-9 * r.bytes_per_s), " GB/s, with ", r.threads, r.threads == 1 ? " thread" : " threads");
}

Json to_json(const Roofline& r) {
  const auto gflops = [&](size_t i) { return 2e-9 * r.peaks[i].multiply_adds_per_s; };
  return {
      {"threads", r.threads},          {"float32_gflop_per_s", gflops(0)},        {"float64_gflop_per_s", gflops(1)},
      {"int8_gflop_per_s", gflops(2)}, {"memory_gb_per_s", 1e-9 * r.bytes_per_s}, {"memory_bytes", r.read_bytes}};
}

}  // namespace linnet::tool
