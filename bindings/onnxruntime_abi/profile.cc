#include "profile.h"

#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>

#include "status.h"

namespace linnet::ort {
namespace {

/// Returns a JSON string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      result += c;
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", unsigned(c));
      result += escaped;
    }
  }
  return result + '"';
}

std::string file_name(const std::string& prefix) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char stamp[40];
  const size_t length = std::strftime(stamp, sizeof stamp, "_%Y-%m-%d_%H-%M-%S", &parts);
  std::snprintf(stamp + length, sizeof stamp - length, "_%03d.json", int(millis));
  return prefix + stamp;
}

int64_t microseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

}  // namespace

void Profile::record(const char* category, std::string name, std::string op_type, Clock::time_point begin,
                     Clock::time_point end) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  entries_.push_back({category, std::move(name), std::move(op_type), microseconds(begin - begin_),
                      microseconds(end - begin), std::hash<std::thread::id>()(std::this_thread::get_id())});
}

void Profile::on_node(const NodeEvent& event) {
  record("Node", event.node.name + "_kernel_time", event.node.op_type, event.begin, event.end);
}

void Profile::on_session_event(const char* name, Clock::time_point begin) {
  record("Session", name, {}, begin, Clock::now());
}

std::string Profile::end() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(ended_, true)) return {};
  const std::string path = file_name(prefix_);
  std::ofstream file(path);
  const char* separator = "[\n";
  for (const Entry& entry : entries_) {
    file << separator << R"({"cat":")" << entry.category << R"(","pid":)" << ::getpid() << R"(,"tid":)"
         << entry.thread % 1'000'000 << R"(,"dur":)" << entry.duration_us << R"(,"ts":)" << entry.begin_us
         << R"(,"ph":"X","name":)" << quoted(entry.name) << R"(,"args":{)";
    if (!entry.op_type.empty()) {
      file << R"("op_name":)" << quoted(entry.op_type) << R"(,"provider":"CPUExecutionProvider")";
    }
    file << "}}";
    separator = ",\n";
  }
  file << (entries_.empty() ? "[]\n" : "\n]\n");
  file.close();
  if (!file) throw Failure(kFail, str("cannot write the profile ", path));
  entries_.clear();
  return path;
}

}  // namespace linnet::ort
