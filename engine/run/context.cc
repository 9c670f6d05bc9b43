#include <algorithm>

#include "linnet/model.h"
#include "run/model_state.h"
#include "run/runner.h"
#include "run/stateful_run.h"
#include "tensor/bool_bytes.h"
#include "tensor/memory_errors.h"

namespace linnet {
namespace {

void check_given(std::span<const Tensor> given, std::span<const Tensor> inputs, const std::vector<ValueInfo>& outputs) {
  if (given.size() > outputs.size()) {
    throw Error(ErrorKind::kModel, str("memory for ", given.size(), " outputs, of ", outputs.size()));
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const auto cuts = [&](const Tensor& input) { return overlap_in_part(given[i], input); };
    const auto overlaps = [&](const Tensor& other) { return overlap(given[i], other); };
    const auto others = given.subspan(i + 1);
    if (std::any_of(inputs.begin(), inputs.end(), cuts) || std::any_of(others.begin(), others.end(), overlaps)) {
      throw Error(ErrorKind::kShape, str("the memory for output '", outputs[i].name, "' overlaps another's"));
    }
  }
}

}  // namespace

struct Context::Impl {
  Impl(const Model& model_in, const ContextOptions& options_in)
      : model(model_in),
        options(options_in),
        runner(model.state_->program),
        environment(options, model.state_->resources->executor),
        stateful(model.state_->program, model.state_->all_inputs, model.outputs()),
        ordered(model.inputs().size() + model.state_->notes.defaults.size()),
        completed(ordered.size()) {}

  /// Calls f(), which allocates memory for states.
  template <class F>
  decltype(auto) within_account(const char* what, F&& f) {
    const MemoryAccount::Scope scope(environment.account());
    return with_memory_errors(what, f);
  }
  std::span<const Tensor> run(std::span<const Tensor> inputs, std::span<const Tensor> given);
  bool needs_normal_bools(std::span<const Tensor> inputs) const;
  bool completes() const { return !stateful.states().empty() || !model.state_->notes.defaults.empty(); }
  template <class F>
  std::span<const Tensor> hold_threads(F run);
  std::span<const Tensor> run_apart(std::span<const Tensor> inputs, std::span<const Tensor> given);
  std::span<const Tensor> run_completed(std::span<const Tensor> inputs, std::span<const Tensor> given);
  template <class F>
  auto with_dim_names(std::span<const Tensor> inputs, F&& f);

  Model model;
  ContextOptions options;
  Runner runner;
  RunEnvironment environment;
  StatefulRun stateful;
  std::vector<Tensor> ordered, completed;  // inputs by name; inputs with defaults and states
  std::vector<Tensor> held, kept;          // inputs that overlap outputs, and these outputs
  std::chrono::steady_clock::duration last_run{};
};

/// Keeps threads ready during a run if the previous run was long enough to be worth it.
template <class F>
std::span<const Tensor> Context::Impl::hold_threads(F run) {
  constexpr std::chrono::microseconds kWorthHolding(200);
  if (environment.executor().workers() == 1) return run();
  const auto begin = std::chrono::steady_clock::now();
  std::span<const Tensor> outputs;
  if (last_run > kWorthHolding) {
    environment.executor().hold([&](int64_t, int) { outputs = run(); });
  } else {
    outputs = run();
  }
  last_run = std::chrono::steady_clock::now() - begin;
  return outputs;
}

/// Calls f(). If it throws Error(kShape), adds a note on inputs that give one name two sizes, which may be the reason.
template <class F>
auto Context::Impl::with_dim_names(std::span<const Tensor> inputs, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kShape) throw;
    const std::string contradiction = model.state_->program->names().contradiction(inputs);
    if (contradiction.empty()) throw;
    throw Error(error.kind(), str(error.message(), "; ", contradiction));
  }
}

std::span<const Tensor> Context::Impl::run(std::span<const Tensor> inputs, std::span<const Tensor> given) {
  return with_dim_names(completes() ? completed : inputs, [&] {
    return hold_threads([&] { return completes() ? run_completed(inputs, given) : run_apart(inputs, given); });
  });
}

/// Runs the model on inputs that may overlap outputs of the previous run. Holds those outputs, so that this run writes
/// to other memory.
std::span<const Tensor> Context::Impl::run_apart(std::span<const Tensor> inputs, std::span<const Tensor> given) {
  check_given(given, inputs, model.outputs());
  const std::span<const Tensor> outputs = runner.outputs();
  const auto lies_in_output = [&](const Tensor& input) {
    return std::any_of(outputs.begin(), outputs.end(), [&](const Tensor& output) { return overlap(input, output); });
  };
  if (std::none_of(inputs.begin(), inputs.end(), lies_in_output)) {
    return runner.run(inputs, environment, given);
  }
  held.assign(inputs.begin(), inputs.end());
  kept.assign(outputs.begin(), outputs.end());
  const std::span<const Tensor> result = runner.run(held, environment, given);
  held.clear();
  kept.clear();
  return result;
}

/// Runs the model with defaults and states in place of inputs that are left out.
std::span<const Tensor> Context::Impl::run_completed(std::span<const Tensor> inputs, std::span<const Tensor> given) {
  const ContextStates& states = stateful.states();
  states.check_left_out(inputs);
  states.check_given(given);
  model.state_->complete(inputs, completed);
  check_given(given, completed, model.outputs());
  const auto run = [&] { return run_apart(completed, given); };
  const std::span<const Tensor> outputs = states.empty() ? run() : stateful.run(completed, environment, given, run);
  std::fill(completed.begin(), completed.end(), Tensor());
  return outputs;
}

/// Whether an input contains a bool that is neither 0 nor 1, and some kernel requires 0 or 1.
bool Context::Impl::needs_normal_bools(std::span<const Tensor> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool takes_any = inputs[i].dtype() == DType::kBool && !completes() && runner.reads_any_bool(inputs, i);
    if (!takes_any && has_other_bools(inputs[i])) return true;
  }
  return false;
}

Context::Context(const Model& model, const ContextOptions& options)
    : impl_(with_memory_errors("make a context", [&] { return std::make_unique<Impl>(model, options); })) {}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

std::span<const Tensor> Context::run(std::span<const Tensor> inputs, const RunOptions& options) {
  impl_->environment.begin_run(options);
  const RunEnvironment::Scope scope(impl_->environment);
  return with_memory_errors("run the model", [&] {
    if (!impl_->needs_normal_bools(inputs)) return impl_->run(inputs, options.outputs);
    std::vector<Tensor> normalized;
    for (const Tensor& input : inputs) normalized.push_back(normalized_bools(input));
    return impl_->run(normalized, options.outputs);
  });
}

void Context::prepare(std::span<const Shape> shapes) {
  const std::vector<ValueInfo>& infos = impl_->model.inputs();
  if (shapes.size() != infos.size()) {
    throw Error(ErrorKind::kModel, str("expected ", infos.size(), " inputs, got ", shapes.size()));
  }
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (is_object(infos[i].fact.dtype)) {
      throw Error(ErrorKind::kUnsupported,
                  str("input '", infos[i].name, "' is not a tensor of numbers: run the model"));
    }
    inputs.push_back(Tensor::wrap(infos[i].fact.dtype, shapes[i], nullptr));
  }
  const std::vector<Tensor>& defaults = impl_->model.state_->notes.defaults;
  inputs.insert(inputs.end(), defaults.begin(), defaults.end());
  impl_->environment.begin_run({});
  const RunEnvironment::Scope scope(impl_->environment);
  with_memory_errors("prepare the model", [&] {
    impl_->with_dim_names(inputs, [&] { impl_->runner.prepare(inputs, impl_->environment); });
  });
}

std::span<const Tensor> Context::run(const std::vector<std::pair<std::string, Tensor>>& inputs,
                                     const RunOptions& options) {
  const std::vector<ValueInfo>& infos = impl_->model.inputs();
  std::fill(impl_->ordered.begin(), impl_->ordered.end(), Tensor());
  for (const auto& [name, tensor] : inputs) impl_->ordered[impl_->model.state_->input_index(name)] = tensor;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!impl_->ordered[i] && !impl_->stateful.states().has(i)) {
      throw Error(ErrorKind::kModel,
                  str("input '", infos[i].name, "' is missing; the inputs are ", quoted_names(infos)));
    }
  }
  const std::span<const Tensor> outputs = run(impl_->ordered, options);
  std::fill(impl_->ordered.begin(), impl_->ordered.end(), Tensor());
  return outputs;
}

void Context::bind_state(const std::string& output, const std::string& input, const Tensor& initial, int64_t capacity) {
  const Tensor& first = initial ? initial : impl_->model.state_->default_of(input);
  impl_->within_account("bind the state", [&] { impl_->stateful.bind(output, input, first, capacity); });
}

const Tensor& Context::state(const std::string& input) const {
  return impl_->within_account("read the state",
                               [&]() -> const Tensor& { return impl_->stateful.states().value(input); });
}

void Context::set_state(const std::string& input, const Tensor& value) {
  impl_->within_account("set the state", [&] { impl_->stateful.states().set_value(input, value); });
}

void Context::truncate_states(int64_t length) {
  impl_->within_account("truncate the states", [&] { impl_->stateful.states().truncate(length); });
}

void Context::reset_states() { impl_->stateful.states().reset(); }

Context Context::fork() const { return fork(impl_->options.observer); }

Context Context::fork(std::shared_ptr<Observer> observer) const {
  ContextOptions options = impl_->options;
  options.observer = std::move(observer);
  Context other(impl_->model, options);
  // Copies of a model share its inputs and outputs.
  other.impl_->within_account("fork the context", [&] { other.impl_->stateful.continue_from(impl_->stateful); });
  return other;
}

MemoryReport Context::memory() const {
  const auto& state = *impl_->model.state_;
  const size_t arena = impl_->runner.arena_bytes() + impl_->stateful.arena_bytes();
  const size_t scratch = impl_->runner.scratch_bytes() + impl_->stateful.scratch_bytes();
  return {held_constant_bytes(state.program->graph()), state.resources->packs.bytes(), int64_t(arena),
          int64_t(scratch)};
}

}  // namespace linnet
