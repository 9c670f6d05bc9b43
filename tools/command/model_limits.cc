#include "command/model_limits.h"

#include "environment/available_memory.h"
#include "report/report.h"

namespace linnet::tool {
namespace {

// The limits of --untrusted: enough for common image and audio models, but no denial of service.
constexpr Limits kStrict{.file_bytes = int64_t{1} << 30,
                         .nodes = 100'000,
                         .depth = 16,
                         .memory_bytes = int64_t{2} << 30,
                         .deadline_ms = 60'000};
constexpr int64_t kLoadMs = 300'000;

/// Less than all memory, because a machine that swaps or ends processes harms others on it.
int64_t most_of_memory() { return available_memory() / 4 * 3; }

Limits limits(const ModelFlags& flags, int64_t default_ms) {
  Limits result = flags.untrusted ? kStrict : Limits{};
  if (!flags.untrusted && !flags.trusted) {
    result.memory_bytes = most_of_memory();
    result.deadline_ms = default_ms;
  }
  if (flags.max_memory > 0) result.memory_bytes = int64_t(flags.max_memory);
  if (flags.deadline_ms > 0) result.deadline_ms = flags.deadline_ms;
  return result;
}

std::string milliseconds(int64_t ms) { return ms > 0 ? human_time(double(ms)) : "any time"; }

}  // namespace

Limits load_limits(const ModelFlags& flags) { return limits(flags, kLoadMs); }
Limits run_limits(const ModelFlags& flags) { return limits(flags, 0); }

std::string describe_limits(const ModelFlags& flags) {
  const Limits load = load_limits(flags), run = run_limits(flags);
  return (load.memory_bytes > 0 ? human_bytes(load.memory_bytes) : "any memory") + ", loading " +
         milliseconds(load.deadline_ms) + ", a run " + milliseconds(run.deadline_ms);
}

std::string with_remedy(const std::string& message) {
  const auto tells = [&](const char* words) { return message.find(words) != std::string::npos; };
  if (tells("more than the limit of ")) return message + "; --max-memory or --trusted allows more";
  if (tells("exceeds the deadline of ")) return message + "; --deadline or --trusted allows more";
  return message;
}

}  // namespace linnet::tool
