#include "context.h"

#include <nanobind/stl/string.h>

namespace linnet::python {

/// Who holds it may wait for the interpreter's lock; so nobody waits for it with that.
std::unique_lock<std::mutex> StatefulContext::wait() {
  const nb::gil_scoped_release unlocked;
  return std::unique_lock(mutex_);
}

nb::dict StatefulContext::run(nb::handle inputs, nb::handle outputs, const nb::dict& out,
                              std::shared_ptr<CancellationToken> cancellation) {
  const auto lock = wait();
  return lane_->run(*signature_, inputs, outputs, out, std::move(cancellation));
}

void StatefulContext::bind_state(nb::handle output, nb::handle input, nb::handle initial, int64_t capacity) {
  const auto lock = wait();
  lane_->bind_state(*signature_, output, input, initial, capacity);
}

nb::object StatefulContext::state(const std::string& input) {
  const auto lock = wait();
  return to_python(lane_->context().state(input).clone());
}

void StatefulContext::set_state(nb::handle input, nb::handle value) {
  const auto lock = wait();
  lane_->context().set_state(nb::cast<std::string>(input), signature_->read_input(input, value));
}

void StatefulContext::truncate_states(int64_t length) {
  const auto lock = wait();
  lane_->context().truncate_states(length);
}

void StatefulContext::reset_states() {
  const auto lock = wait();
  lane_->context().reset_states();
}

std::unique_ptr<StatefulContext> StatefulContext::fork() {
  const auto lock = wait();
  return std::unique_ptr<StatefulContext>(new StatefulContext(signature_, lane_->fork()));
}

}  // namespace linnet::python
