#include "context.h"

#include "arguments.h"

namespace linnet::python {

/// Releases the interpreter's lock while it waits, because the owner of the mutex may need that lock.
std::unique_lock<std::mutex> StatefulContext::wait() {
  const nb::gil_scoped_release unlocked;
  return std::unique_lock(mutex_);
}

nb::dict StatefulContext::run(nb::handle inputs, nb::handle outputs, nb::handle out, nb::handle cancellation,
                              nb::handle deadline_ms) {
  const auto lock = wait();
  return lane_->run(*signature_, inputs, outputs, out, cancellation, deadline_ms);
}

void StatefulContext::bind_state(nb::handle output, nb::handle input, nb::handle initial, nb::handle capacity) {
  const int64_t rows = integer_argument("capacity", capacity);
  const auto lock = wait();
  lane_->bind_state(*signature_, output, input, initial, rows);
}

nb::object StatefulContext::state(nb::handle input) {
  const std::string name = name_argument("input", input);
  const auto lock = wait();
  return to_python(lane_->context().state(name).clone());
}

void StatefulContext::set_state(nb::handle input, nb::handle value) {
  const auto lock = wait();
  Tensor tensor = signature_->read_input(input, value);
  lane_->context().set_state(name_argument("input", input), tensor);
}

void StatefulContext::truncate_states(nb::handle length) {
  const int64_t rows = integer_argument("length", length);
  const auto lock = wait();
  lane_->context().truncate_states(rows);
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
