#include "session.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <numeric>

namespace linnet::python {
namespace {

/// Cancels a run where a signal handler of Python raises. Python runs handlers on its main thread only, which is that
/// of the observer where run() was called there.
class Interrupts final : public Observer {
 public:
  /// profile: where all nodes are noted; nullptr: nowhere.
  explicit Interrupts(std::shared_ptr<Profile> profile) : profile_(std::move(profile)) {}

  /// The token of the run that begins.
  std::shared_ptr<const CancellationToken> begin(std::shared_ptr<CancellationToken> token) {
    token_ = token ? std::move(token) : std::make_shared<CancellationToken>();
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
    if (raised_) throw nb::python_error(std::move(*raised_));
  }

 private:
  std::shared_ptr<Profile> profile_;
  std::shared_ptr<CancellationToken> token_;
  Clock::time_point last_ = Clock::now();
  std::unique_ptr<nb::python_error> raised_;
};

ContextOptions with_observer(ContextOptions options, std::shared_ptr<Observer> observer) {
  options.observer = std::move(observer);
  return options;
}

std::string quoted(const std::vector<ValueInfo>& infos) {
  std::string names;
  for (const ValueInfo& info : infos) names += str(names.empty() ? "'" : ", '", info.name, "'");
  return names;
}

}  // namespace

/// What one run at a time uses.
struct Session::Lane {
  Lane(const Model& model, const ContextOptions& options, std::shared_ptr<Profile> profile)
      : interrupts(std::make_shared<Interrupts>(std::move(profile))),
        context(model, with_observer(options, interrupts)) {}

  std::shared_ptr<Interrupts> interrupts;
  Context context;
};

Session::Session(Model model, Limits limits, std::optional<uint64_t> seed, bool profiled)
    : model_(std::move(model)),
      options_{.executor = nullptr, .observer = nullptr, .limits = limits, .seed = seed},
      profile_(std::make_shared<Profile>()),
      profiled_(profiled),
      inputs_(values_of("input", model_.inputs())),
      outputs_(values_of("output", model_.outputs())),
      required_(inputs_.size()) {
  if (!model_.options().overridable_initializers) return;
  std::vector<Value> optional = values_of("initializer", model_.metadata().overridable);
  std::move(optional.begin(), optional.end(), std::back_inserter(inputs_));
}

Session::~Session() = default;

std::vector<Session::Value> Session::values_of(const char* side, const std::vector<ValueInfo>& infos) {
  std::vector<Value> values;
  for (const ValueInfo& info : infos) {
    values.push_back({nb::str(info.name.c_str(), info.name.size()), &info.fact, str(side, " '", info.name, "'")});
  }
  return values;
}

std::unique_ptr<Session> Session::with_weights(const nb::dict& weights) const {
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, array] : weights) {
    const std::string text = nb::cast<std::string>(name);
    tensors[text] = to_tensor(array, str("initializer '", text, "'"));
  }
  std::optional<Model> replaced;
  {
    const nb::gil_scoped_release unlocked;
    replaced = model_.with_weights(tensors);
  }
  return std::make_unique<Session>(std::move(*replaced), options_.limits, options_.seed, profiled_);
}

std::unique_ptr<Session::Lane> Session::take_lane() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Lane>(model_, options_, profiled_ ? profile_ : nullptr);
  std::unique_ptr<Lane> lane = std::move(idle_.back());
  idle_.pop_back();
  return lane;
}

void Session::give_back(std::unique_ptr<Lane> lane) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(lane));
}

nb::dict Session::run(const nb::dict& inputs, nb::handle outputs, const nb::dict& out,
                      std::shared_ptr<CancellationToken> cancellation) {
  const std::vector<size_t> wanted = output_indices(outputs);
  std::vector<Tensor> tensors = ordered(inputs), memory = memory_of(out), results;
  std::unique_ptr<Lane> lane = take_lane();
  try {
    const nb::gil_scoped_release unlocked;
    const std::span<const Tensor> computed = lane->context.run(
        tensors, {.cancellation = lane->interrupts->begin(std::move(cancellation)), .outputs = std::move(memory)});
    for (const size_t i : wanted) results.push_back(computed[i]);
  } catch (const Error&) {
    lane->interrupts->raise();
    give_back(std::move(lane));
    throw;
  }
  lane->interrupts->raise();  // a signal in the last node
  give_back(std::move(lane));
  nb::dict named;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const nb::str& name = outputs_[wanted[i]].name;
    named[name] = out.contains(name) ? nb::object(out[name]) : to_python(results[i]);
  }
  return named;
}

std::vector<Tensor> Session::ordered(const nb::dict& inputs) const {
  std::vector<Tensor> tensors(inputs_.size());
  size_t known = 0;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Value& input = inputs_[i];
    PyObject* value = PyDict_GetItemWithError(inputs.ptr(), input.name.ptr());
    if (value) {
      tensors[i] = to_tensor(value, *input.fact, input.what);
      ++known;
    } else if (i < required_) {
      throw Error(ErrorKind::kModel, str(input.what, " is missing; the inputs are ", quoted(model_.inputs())));
    }
  }
  if (known != inputs.size()) refuse_unknown(inputs);
  return tensors;
}

void Session::refuse_unknown(const nb::dict& inputs) const {
  for (const auto& [name, value] : inputs) {
    const auto same = [&](const Value& input) { return input.name.equal(name); };
    if (std::any_of(inputs_.begin(), inputs_.end(), same)) continue;
    throw Error(ErrorKind::kModel,
                str("there is no input '", nb::str(name).c_str(), "'; the inputs are ", quoted(model_.inputs())));
  }
}

std::vector<size_t> Session::output_indices(nb::handle names) const {
  std::vector<size_t> indices(outputs_.size());
  std::iota(indices.begin(), indices.end(), size_t{0});
  if (names.is_none()) return indices;
  indices.clear();
  for (nb::handle name : nb::borrow<nb::object>(names)) indices.push_back(output_index(name));
  return indices;
}

size_t Session::output_index(nb::handle name) const {
  const auto same = [&](const Value& output) { return output.name.equal(name); };
  const auto found = std::find_if(outputs_.begin(), outputs_.end(), same);
  if (found == outputs_.end()) {
    throw Error(ErrorKind::kModel,
                str("there is no output '", nb::str(name).c_str(), "'; the outputs are ", quoted(model_.outputs())));
  }
  return size_t(found - outputs_.begin());
}

std::vector<Tensor> Session::memory_of(const nb::dict& out) const {
  std::vector<Tensor> memory(out.size() ? outputs_.size() : 0);
  for (const auto& [name, array] : out) {
    const size_t i = output_index(name);
    memory[i] = output_memory(array, *outputs_[i].fact, "the array for " + outputs_[i].what);
  }
  return memory;
}

}  // namespace linnet::python
