#include "profile.h"

#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <thread>

#include "status.h"

namespace linnet::ort {
namespace {

/// A string of JSON.
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

void Profile::on_node(const NodeEvent& event) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  entries_.push_back({event.node.name, event.node.op_type, microseconds(event.begin - begin_),
                      microseconds(event.end - event.begin), std::hash<std::thread::id>()(std::this_thread::get_id())});
}

std::string Profile::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  const std::string path = file_name(prefix_);
  std::ofstream file(path);
  const char* separator = "[\n";
  for (const Entry& entry : entries_) {
    file << separator << R"({"cat":"Node","pid":)" << ::getpid() << R"(,"tid":)" << entry.thread % 1'000'000
         << R"(,"ts":)" << entry.begin_us << R"(,"dur":)" << entry.duration_us << R"(,"ph":"X","name":)"
         << quoted(entry.name + "_kernel_time") << R"(,"args":{"op_name":)" << quoted(entry.op_type)
         << R"(,"provider":"CPUExecutionProvider"}})";
    separator = ",\n";
  }
  file << (entries_.empty() ? "[]\n" : "\n]\n");
  file.close();
  if (!file) throw Failure(kFail, str("cannot write the profile ", path));
  entries_.clear();
  return path;
}

}  // namespace linnet::ort
