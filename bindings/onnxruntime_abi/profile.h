#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "linnet/model.h"
#include "linnet/op.h"

namespace linnet::ort {

/// Records the nodes of runs, on any thread, and writes them in Chrome's trace format.
class Profile final : public Observer {
 public:
  explicit Profile(std::string prefix) : prefix_(std::move(prefix)) {}

  void on_node(const NodeEvent& event) override;
  /// Records an event other than a node: loading, or a whole run.
  void on_session_event(const char* name, Clock::time_point begin);
  /// Returns nanoseconds on the clock of std::chrono::steady_clock.
  uint64_t start() const { return uint64_t(begin_.time_since_epoch().count()); }
  /// Writes a file whose name begins with the prefix, stops recording, and returns the name, or "" if end() was
  /// called before. Throws Failure(kFail) if the file cannot be written.
  std::string end();

 private:
  struct Entry {
    const char* category;
    std::string name, op_type;
    int64_t begin_us, duration_us;
    uint64_t thread;
  };

  void record(const char* category, std::string name, std::string op_type, Clock::time_point begin,
              Clock::time_point end);

  const std::string prefix_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  bool ended_ = false;
  std::vector<Entry> entries_;
};

}  // namespace linnet::ort
