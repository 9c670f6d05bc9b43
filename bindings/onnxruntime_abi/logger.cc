#include "logger.h"

#include <chrono>
#include <cstdio>
#include <ctime>

#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

/// Returns the time in UTC, for example "2026-01-31 12:00:00.123456789".
std::string timestamp() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count() % 1'000'000'000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[48];
  const size_t length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%09lld", static_cast<long long>(nanoseconds));
  return text;
}

}  // namespace

void Logger::log(LoggingLevel level, const char* location, const std::string& message) const {
  if (!logs(level)) return;
  if (function) return function(param, level, "onnxruntime", id.c_str(), location, message.c_str());
  const char letter = level >= kVerbose && level <= kFatal ? "VIWEF"[level] : '?';
  std::fprintf(stderr, "%s [%c:onnxruntime:%s, %s] %s\n", timestamp().c_str(), letter, id.c_str(), location,
               message.c_str());
}

Status* Logger_LogMessage(const Logger* logger, LoggingLevel level, const char* message, const char* file, int line,
                          const char* function) noexcept {
  return guarded([&] {
    const std::string location = str(file ? file : "", ":", line, " ", function ? function : "");
    valid(logger, "logger").log(level, location.c_str(), message ? message : "");
  });
}

Status* Logger_GetLoggingSeverityLevel(const Logger* logger, LoggingLevel* level) noexcept {
  return guarded([&] { valid(level, "level") = valid(logger, "logger").severity; });
}

}  // namespace linnet::ort
