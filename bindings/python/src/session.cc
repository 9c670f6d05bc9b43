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

std::vector<nb::str> names_of(const std::vector<ValueInfo>& infos) {
  std::vector<nb::str> names;
  for (const ValueInfo& info : infos) names.emplace_back(info.name.c_str(), info.name.size());
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
      input_names_(names_of(model_.inputs())),
      output_names_(names_of(model_.outputs())) {}

Session::~Session() = default;

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
    const nb::str& name = output_names_[wanted[i]];
    named[name] = out.contains(name) ? nb::object(out[name]) : to_python(results[i]);
  }
  return named;
}

std::vector<Tensor> Session::ordered(const nb::dict& inputs) const {
  const std::vector<ValueInfo>& infos = model_.inputs();
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < infos.size(); ++i) {
    PyObject* value = PyDict_GetItemWithError(inputs.ptr(), input_names_[i].ptr());
    if (!value) {
      throw Error(ErrorKind::kModel, str("input '", infos[i].name, "' is missing; the inputs are ", quoted(infos)));
    }
    tensors.push_back(to_tensor(value, infos[i].fact, str("input '", infos[i].name, "'")));
  }
  if (inputs.size() == infos.size()) return tensors;
  for (const auto& [name, value] : inputs) {
    const auto known = [&](const nb::str& other) { return other.equal(name); };
    if (std::any_of(input_names_.begin(), input_names_.end(), known)) continue;
    throw Error(ErrorKind::kModel,
                str("there is no input '", nb::str(name).c_str(), "'; the inputs are ", quoted(infos)));
  }
  return tensors;
}

std::vector<size_t> Session::output_indices(nb::handle names) const {
  std::vector<size_t> indices(output_names_.size());
  std::iota(indices.begin(), indices.end(), size_t{0});
  if (names.is_none()) return indices;
  indices.clear();
  for (nb::handle name : nb::borrow<nb::object>(names)) indices.push_back(output_index(name));
  return indices;
}

size_t Session::output_index(nb::handle name) const {
  const auto found =
      std::find_if(output_names_.begin(), output_names_.end(), [&](const nb::str& other) { return other.equal(name); });
  if (found == output_names_.end()) {
    throw Error(ErrorKind::kModel,
                str("there is no output '", nb::str(name).c_str(), "'; the outputs are ", quoted(model_.outputs())));
  }
  return size_t(found - output_names_.begin());
}

std::vector<Tensor> Session::memory_of(const nb::dict& out) const {
  std::vector<Tensor> memory(out.size() ? output_names_.size() : 0);
  for (const auto& [name, array] : out) {
    const size_t i = output_index(name);
    memory[i] =
        output_memory(array, model_.outputs()[i].fact, str("the array for output '", output_names_[i].c_str(), "'"));
  }
  return memory;
}

}  // namespace linnet::python
