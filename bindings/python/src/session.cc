#include "session.h"

#include <nanobind/stl/string.h>

namespace linnet::python {

Session::Session(Model model, Limits limits, std::optional<uint64_t> seed, bool profiled)
    : model_(std::move(model)),
      signature_(std::make_shared<Signature>(model_)),
      options_{.executor = nullptr, .observer = nullptr, .limits = limits, .seed = seed},
      profile_(std::make_shared<Profile>()),
      profiled_(profiled) {}

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

std::unique_ptr<Lane> Session::new_lane() const {
  return std::make_unique<Lane>(model_, options_, profiled_ ? profile_ : nullptr);
}

std::unique_ptr<Lane> Session::take_lane() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return new_lane();
  std::unique_ptr<Lane> lane = std::move(idle_.back());
  idle_.pop_back();
  return lane;
}

template <class F>
auto Session::with_lane(F&& f) {
  std::unique_ptr<Lane> lane = take_lane();
  struct GivesBack {
    Session& session;
    std::unique_ptr<Lane>& lane;
    ~GivesBack() { session.give_back(std::move(lane)); }
  } const after{*this, lane};
  return f(*lane);
}

void Session::give_back(std::unique_ptr<Lane> lane) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(lane));
}

nb::dict Session::run(nb::handle inputs, nb::handle outputs, nb::handle out, nb::handle cancellation,
                      nb::handle deadline_ms) {
  return with_lane([&](Lane& lane) { return lane.run(*signature_, inputs, outputs, out, cancellation, deadline_ms); });
}

void Session::prepare(const std::vector<std::vector<int64_t>>& shapes) {
  const std::vector<Shape> of_inputs(shapes.begin(), shapes.end());
  with_lane([&](Lane& lane) {
    const nb::gil_scoped_release unlocked;
    lane.context().prepare(of_inputs);
  });
}

MemoryReport Session::memory() {
  const std::lock_guard lock(mutex_);
  MemoryReport all;
  for (const std::unique_ptr<Lane>& lane : idle_) {
    const MemoryReport one = lane->context().memory();
    all.weights_bytes = one.weights_bytes;
    all.packed_bytes = std::max(all.packed_bytes, one.packed_bytes);
    all.arena_bytes += one.arena_bytes;
    all.scratch_bytes += one.scratch_bytes;
  }
  return all;
}

}  // namespace linnet::python
