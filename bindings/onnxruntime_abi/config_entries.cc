// Options of sessions by name. Options that mirror functions take effect at once. Options that change how or what a
// model loads are read when a session is made. All others tune how ONNX Runtime computes; they are stored without
// effect.
#include <charconv>
#include <cstring>

#include "session_options.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

constexpr size_t kLongestKey = 1024;

struct Level {
  const char* name;
  GraphOptimizationLevel level;
};
constexpr Level kLevels[] = {{"disable_all", kDisableAll},
                             {"enable_basic", kEnableBasic},
                             {"enable_extended", kEnableExtended},
                             {"enable_layout", GraphOptimizationLevel(3)},
                             {"enable_all", kEnableAll}};

[[noreturn]] void fail_value(const std::string& key, const char* wanted, const std::string& value) {
  throw Failure(kInvalidArgument,
                str("AddSessionConfigEntry: value for '", key, "' must be ", wanted, "; got '", value, "'"));
}

int integer_of(const std::string& key, const std::string& value) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) fail_value(key, "a base-10 int32", value);
  return number;
}

bool flag_of(const std::string& key, const std::string& value) {
  if (value == "1" || value == "true") return true;
  if (value != "0" && value != "false") fail_value(key, "a boolean ('0'/'1' or 'true'/'false')", value);
  return false;
}

GraphOptimizationLevel level_of(const std::string& key, const std::string& value) {
  for (const Level& level : kLevels) {
    if (value == level.name) return level.level;
  }
  fail_value(key, "one of disable_all/enable_basic/enable_extended/enable_layout/enable_all", value);
}

ExecutionMode mode_of(const std::string& key, const std::string& value) {
  if (value != "sequential" && value != "parallel") fail_value(key, "'sequential' or 'parallel'", value);
  return value == "parallel" ? kParallel : kSequential;
}

/// An entry that mirrors a function, and its action.
struct Mirror {
  const char* key;
  void (*set)(SessionOptions& options, const std::string& key, const std::string& value);
};
using Options = SessionOptions&;
using Text = const std::string&;
constexpr Mirror kMirrors[] = {
    {"session.graph_optimization_level", [](Options o, Text k, Text v) { o.optimization = level_of(k, v); }},
    {"session.execution_mode", [](Options o, Text k, Text v) { o.execution_mode = mode_of(k, v); }},
    {"session.intra_op_num_threads", [](Options o, Text k, Text v) { o.threads.count = integer_of(k, v); }},
    {"session.inter_op_num_threads", [](Options, Text k, Text v) { integer_of(k, v); }},
    {"session.log_severity_level", [](Options o, Text k, Text v) { o.log_severity = integer_of(k, v); }},
    {"session.log_verbosity_level", [](Options, Text k, Text v) { integer_of(k, v); }},
    {"session.log_id", [](Options o, Text, Text v) { o.log_id = v; }},
    {"session.enable_profiling", [](Options o, Text, Text v) { o.profile_prefix = v; }},
    {"session.optimized_model_filepath", [](Options o, Text, Text v) { o.optimized_path = v; }},
    {"session.use_per_session_threads", [](Options o, Text k, Text v) { o.own_threads = flag_of(k, v); }},
    {"session.enable_mem_pattern", [](Options o, Text k, Text v) { o.memory_pattern = flag_of(k, v); }},
    {"session.enable_cpu_mem_arena", [](Options, Text k, Text v) { flag_of(k, v); }},
    {"session.use_deterministic_compute", [](Options o, Text k, Text v) { o.batch_invariant = flag_of(k, v); }},
};

void apply(SessionOptions& options, const std::string& key, const std::string& value) {
  for (const Mirror& mirror : kMirrors) {
    if (key == mirror.key) mirror.set(options, key, value);
  }
}

}  // namespace

void add_entry(ConfigEntries& entries, const char* key, const char* value) {
  require(key && value, "AddSessionConfigEntry: options, config_key, and config_value must be non-null");
  const size_t length = std::strlen(key);
  require(length > 0 && length <= kLongestKey, "Config key is empty or longer than maximum length 1024");
  entries[key] = value;
}

void copy_out(const std::string& text, char* buffer, size_t* size, const char* what) {
  size_t& length = valid(size, "size");
  const size_t room = length;
  length = text.size() + 1;
  if (!buffer) return;
  if (room < length) throw Failure(kInvalidArgument, str("Output buffer is not large enough for ", what));
  std::memcpy(buffer, text.c_str(), length);
}

Status* AddSessionConfigEntry(SessionOptions* options, const char* key, const char* value) noexcept {
  return guarded([&] {
    require(options && key && value, "AddSessionConfigEntry: options, config_key, and config_value must be non-null");
    SessionOptions changed = *options;
    add_entry(changed.entries, key, value);
    apply(changed, key, value);
    *options = std::move(changed);
  });
}

Status* HasSessionConfigEntry(const SessionOptions* options, const char* key, int* has_entry) noexcept {
  return guarded([&] { valid(has_entry, "out") = int(valid(options, "options").entries.contains(copied_text(key))); });
}

Status* GetSessionConfigEntry(const SessionOptions* options, const char* key, char* value, size_t* size) noexcept {
  return guarded([&] {
    const ConfigEntries& entries = valid(options, "options").entries;
    const auto found = entries.find(copied_text(key));
    if (found == entries.end()) {
      throw Failure(kInvalidArgument, str("Session config entry '", key, "' was not found."));
    }
    copy_out(found->second, value, size, "session config entry");
  });
}

}  // namespace linnet::ort
