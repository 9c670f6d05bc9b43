#pragma once

#include <mutex>

#include "session.h"

namespace linnet::python {

/// A context with states. It executes one run at a time; other threads wait.
class StatefulContext {
 public:
  explicit StatefulContext(const Session& session) : StatefulContext(session.signature(), session.new_lane()) {}

  nb::dict run(nb::handle inputs, nb::handle outputs, nb::handle out, nb::handle cancellation, nb::handle deadline_ms);
  void bind_state(nb::handle output, nb::handle input, nb::handle initial, nb::handle capacity);
  nb::object state(nb::handle input);
  void set_state(nb::handle input, nb::handle value);
  void truncate_states(nb::handle length);
  void reset_states();
  std::unique_ptr<StatefulContext> fork();

 private:
  StatefulContext(std::shared_ptr<const Signature> signature, std::unique_ptr<Lane> lane)
      : signature_(std::move(signature)), lane_(std::move(lane)) {}

  std::unique_lock<std::mutex> wait();

  std::shared_ptr<const Signature> signature_;
  std::unique_ptr<Lane> lane_;
  std::mutex mutex_;
};

}  // namespace linnet::python
