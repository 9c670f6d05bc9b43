#include "lane.h"

#include <algorithm>
#include <numeric>

#include "arguments.h"
#include "shared_elements.h"

namespace linnet::python {

/// Cancels a run if a signal handler of Python raises an exception. Python runs handlers only on its main thread. The
/// observer runs there if run() was called there.
class Interrupts final : public Observer {
 public:
  explicit Interrupts(std::shared_ptr<Profile> profile) : profile_(std::move(profile)) {}

  /// Returns the token of the run that begins.
  std::shared_ptr<const CancellationToken> begin(std::shared_ptr<CancellationToken> token) {
    if (!own_ || own_->cancelled()) own_ = std::make_shared<CancellationToken>();
    token_ = token ? std::move(token) : own_;
    return token_;
  }

  void on_node(const NodeEvent& event) override {
    constexpr std::chrono::milliseconds kPeriod(20);
    if (profile_) profile_->add(event);
    if (raised_ || event.end - last_ < kPeriod) return;
    last_ = event.end;
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0) return;
    raised_ = std::make_unique<nb::python_error>();
    token_->cancel();
  }
  void raise() {
    if (raised_) throw nb::python_error(std::move(*std::exchange(raised_, nullptr)));
  }

 private:
  std::shared_ptr<Profile> profile_;
  std::shared_ptr<CancellationToken> token_, own_;  // own_: of runs without one
  Clock::time_point last_ = Clock::now();
  std::unique_ptr<nb::python_error> raised_;
};

namespace {

/// Returns kNoDeadline for None.
Observer::Clock::time_point deadline_argument(nb::handle deadline_ms) {
  if (deadline_ms.is_none()) return kNoDeadline;
  const auto now = Observer::Clock::now();
  const std::chrono::milliseconds left(integer_argument("deadline_ms", deadline_ms));
  return left < kNoDeadline - now ? now + left : kNoDeadline;
}

ContextOptions with_observer(ContextOptions options, std::shared_ptr<Observer> observer) {
  options.observer = std::move(observer);
  return options;
}

}  // namespace

Lane::Lane(const Model& model, const ContextOptions& options, std::shared_ptr<Profile> profile)
    : profile_(std::move(profile)),
      interrupts_(std::make_shared<Interrupts>(profile_)),
      context_(model, with_observer(options, interrupts_)),
      listed_(model.outputs().size()) {
  std::iota(listed_.begin(), listed_.end(), size_t{0});
}

Lane::Lane(std::shared_ptr<Profile> profile, std::shared_ptr<Interrupts> interrupts, Context context)
    : profile_(std::move(profile)), interrupts_(std::move(interrupts)), context_(std::move(context)) {}

nb::dict Lane::run(const Signature& signature, nb::handle inputs, nb::handle outputs, nb::handle out_arrays,
                   nb::handle cancellation, nb::handle deadline_ms) {
  const Observer::Clock::time_point deadline = deadline_argument(deadline_ms);
  const nb::dict named_inputs = signature.named_inputs(inputs);
  const std::optional<nb::dict> out = dict_argument("out", out_arrays);
  std::shared_ptr<CancellationToken> token = cancellation_argument(cancellation);
  std::vector<size_t> chosen;
  if (!outputs.is_none()) chosen = output_indices(signature, outputs);
  const std::vector<size_t>& indices = outputs.is_none() ? listed_ : chosen;
  std::vector<Tensor> tensors = signature.read_inputs(named_inputs, state_inputs_);
  std::vector<Tensor> memory, results;
  if (out) memory = signature.output_memories(*out);
  results.reserve(indices.size());
  const SharedElements shared(tensors);
  try {
    const nb::gil_scoped_release unlocked;
    const std::span<const Tensor> computed = context_.run(
        tensors,
        {.cancellation = interrupts_->begin(std::move(token)), .outputs = std::move(memory), .deadline = deadline});
    for (const size_t i : indices) results.push_back(shared.detached(computed[i]));
  } catch (const Error&) {
    interrupts_->raise();
    throw;
  }
  interrupts_->raise();  // for a signal that arrived during the last node
  nb::dict named;
  for (size_t i = 0; i < indices.size(); ++i) {
    const nb::str& name = signature.output_name(indices[i]);
    named[name] = out && out->contains(name) ? nb::object((*out)[name]) : to_python(results[i]);
  }
  return named;
}

std::vector<size_t> Lane::output_indices(const Signature& signature, nb::handle outputs) const {
  std::vector<size_t> indices;
  if (PyUnicode_Check(outputs.ptr())) {
    throw Error(ErrorKind::kType, str("outputs must be a list of names, got the text '", text_of(outputs), "'"));
  }
  if (!PyIter_Check(outputs.ptr()) && !nb::hasattr(outputs, "__iter__")) {
    throw Error(ErrorKind::kType, "outputs must be a list of names, got " + shown(outputs));
  }
  for (nb::handle name : nb::borrow<nb::object>(outputs)) {
    indices.push_back(signature.output_index(name));
    if (!std::ranges::binary_search(listed_, indices.back())) {
      throw Error(ErrorKind::kModel, str("output '", text_of(name), "' is a state"));
    }
  }
  return indices;
}

void Lane::bind_state(const Signature& signature, nb::handle output, nb::handle input, nb::handle initial,
                      int64_t capacity) {
  const size_t from = signature.output_index(output), to = signature.input_index(input);
  const Tensor first = initial.is_none() ? Tensor() : signature.read_input(input, initial);
  context_.bind_state(text_of(output), text_of(input), first, capacity);
  state_inputs_.resize(signature.input_count());
  state_inputs_[to] = true;
  std::erase(listed_, from);
}

std::unique_ptr<Lane> Lane::fork() const {
  auto interrupts = std::make_shared<Interrupts>(profile_);
  std::unique_ptr<Lane> other(new Lane(profile_, interrupts, context_.fork(interrupts)));
  other->state_inputs_ = state_inputs_;
  other->listed_ = listed_;
  return other;
}

}  // namespace linnet::python
