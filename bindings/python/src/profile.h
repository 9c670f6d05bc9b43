#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "linnet/model.h"
#include "linnet/op.h"

namespace linnet::python {

/// The nodes of all runs of a session. Times are on Observer::Clock. It is thread-safe.
class Profile {
 public:
  struct Event {
    std::string name, op_type, domain;
    Observer::Clock::time_point begin, end;
    std::thread::id thread;
  };

  void add(const Observer::NodeEvent& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(
        {event.node.name, event.node.op_type, event.node.domain, event.begin, event.end, std::this_thread::get_id()});
  }
  std::vector<Event> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

}  // namespace linnet::python
