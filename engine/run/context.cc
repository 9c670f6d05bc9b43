#include <algorithm>
#include <functional>

#include "linnet/model.h"
#include "run/model_state.h"
#include "run/runner.h"
#include "tensor/memory_errors.h"

namespace linnet {
namespace {

bool overlap(const Tensor& a, const Tensor& b) {
  if (!a || !b) return false;
  const auto begin = [](const Tensor& t) { return static_cast<const std::byte*>(t.raw()); };
  const std::less<const std::byte*> before;
  return before(begin(a), begin(b) + b.bytes()) && before(begin(b), begin(a) + a.bytes());
}

void check_given(std::span<const Tensor> given, std::span<const Tensor> inputs, const std::vector<ValueInfo>& outputs) {
  if (given.size() > outputs.size()) {
    throw Error(ErrorKind::kModel, str("memory for ", given.size(), " outputs, of ", outputs.size()));
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const auto same = [&](const Tensor& other) { return overlap(given[i], other); };
    const auto others = given.subspan(i + 1);
    if (std::any_of(inputs.begin(), inputs.end(), same) || std::any_of(others.begin(), others.end(), same)) {
      throw Error(ErrorKind::kShape, str("the memory for output '", outputs[i].name, "' overlaps another's"));
    }
  }
}

}  // namespace

struct Context::Impl {
  Impl(const Model& model_in, const ContextOptions& options)
      : model(model_in),
        runner(model.state_->program),
        environment(options, model.state_->resources->executor),
        ordered(model.inputs().size() + model.state_->notes.defaults.size()),
        completed(model.state_->notes.defaults.empty() ? 0 : ordered.size()) {}

  std::span<const Tensor> run(std::span<const Tensor> inputs, std::span<const Tensor> given);
  std::span<const Tensor> run_apart(std::span<const Tensor> inputs, std::span<const Tensor> given);

  Model model;
  Runner runner;
  RunEnvironment environment;
  std::vector<Tensor> ordered;
  std::vector<Tensor> completed;  // with defaults; empty where no input may be left out
  std::chrono::steady_clock::duration last_run{};
};

/// Threads are held ready where the run before took long enough to pay for it.
std::span<const Tensor> Context::Impl::run(std::span<const Tensor> inputs, std::span<const Tensor> given) {
  constexpr std::chrono::microseconds kWorthHolding(200);
  const auto begin = std::chrono::steady_clock::now();
  std::span<const Tensor> outputs;
  if (last_run > kWorthHolding) {
    environment.executor().hold([&](int64_t, int) { outputs = runner.run(inputs, environment, given); });
  } else {
    outputs = runner.run(inputs, environment, given);
  }
  last_run = std::chrono::steady_clock::now() - begin;
  return outputs;
}

/// Inputs may be, or lie in, outputs of the run before: those are kept, so that this run writes others.
std::span<const Tensor> Context::Impl::run_apart(std::span<const Tensor> inputs, std::span<const Tensor> given) {
  check_given(given, inputs, model.outputs());
  const std::span<const Tensor> outputs = runner.outputs();
  const auto lies_in_output = [&](const Tensor& input) {
    return std::any_of(outputs.begin(), outputs.end(), [&](const Tensor& output) { return overlap(input, output); });
  };
  if (std::none_of(inputs.begin(), inputs.end(), lies_in_output)) return run(inputs, given);
  const std::vector<Tensor> held(inputs.begin(), inputs.end()), kept(outputs.begin(), outputs.end());
  return run(held, given);
}

Context::Context(const Model& model, const ContextOptions& options) : impl_(std::make_unique<Impl>(model, options)) {}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

std::span<const Tensor> Context::run(std::span<const Tensor> inputs, const RunOptions& options) {
  impl_->environment.begin_run(options);
  const auto run = [&](std::span<const Tensor> all) {
    return with_memory_errors("run the model", [&] { return impl_->run_apart(all, options.outputs); });
  };
  std::vector<Tensor>& completed = impl_->completed;
  if (completed.empty()) return run(inputs);
  impl_->model.state_->complete(inputs, completed);
  const std::span<const Tensor> outputs = run(completed);
  std::fill(completed.begin(), completed.end(), Tensor());
  return outputs;
}

void Context::prepare(std::span<const Shape> shapes) {
  const std::vector<ValueInfo>& infos = impl_->model.inputs();
  if (shapes.size() != infos.size()) {
    throw Error(ErrorKind::kModel, str("expected ", infos.size(), " inputs, got ", shapes.size()));
  }
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (is_object(infos[i].fact.dtype)) {
      throw Error(ErrorKind::kUnsupported, str("input '", infos[i].name, "' is no tensor of numbers: run the model"));
    }
    inputs.push_back(Tensor::wrap(infos[i].fact.dtype, shapes[i], nullptr));
  }
  const std::vector<Tensor>& defaults = impl_->model.state_->notes.defaults;
  inputs.insert(inputs.end(), defaults.begin(), defaults.end());
  impl_->environment.begin_run({});
  with_memory_errors("prepare the model", [&] { impl_->runner.prepare(inputs, impl_->environment); });
}

std::span<const Tensor> Context::run(const std::vector<std::pair<std::string, Tensor>>& inputs,
                                     const RunOptions& options) {
  const std::vector<ValueInfo>& infos = impl_->model.inputs();
  std::fill(impl_->ordered.begin(), impl_->ordered.end(), Tensor());
  for (const auto& [name, tensor] : inputs) impl_->ordered[impl_->model.state_->input_index(name)] = tensor;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!impl_->ordered[i]) {
      throw Error(ErrorKind::kModel,
                  str("input '", infos[i].name, "' is missing; the inputs are ", quoted_names(infos)));
    }
  }
  const std::span<const Tensor> outputs = run(impl_->ordered, options);
  std::fill(impl_->ordered.begin(), impl_->ordered.end(), Tensor());
  return outputs;
}

MemoryReport Context::memory() const {
  const auto& state = *impl_->model.state_;
  return {constant_bytes(state.program->graph()), state.resources->packs.bytes(), int64_t(impl_->runner.arena_bytes()),
          int64_t(impl_->runner.scratch_bytes())};
}

}  // namespace linnet
