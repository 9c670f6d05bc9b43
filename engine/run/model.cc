#include "linnet/model.h"

#include <algorithm>
#include <functional>
#include <map>

#include "passes/passes.h"
#include "plan/program.h"
#include "run/model_graph.h"
#include "run/runner.h"
#include "tensor/memory_errors.h"

namespace linnet {
namespace {

std::vector<ValueInfo> input_infos(const Graph& graph) {
  std::vector<ValueInfo> infos;
  for (const ValueId id : graph.inputs()) infos.push_back({graph.value(id).name, graph.fact(id)});
  return infos;
}

std::vector<ValueInfo> output_infos(const Graph& graph) {
  std::vector<ValueInfo> infos;
  for (const Graph::Output& output : graph.outputs()) infos.push_back({output.name, graph.fact(output.value)});
  return infos;
}

int64_t constant_bytes(const Graph& graph) {
  int64_t bytes = 0;
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Value& value = graph.value(id);
    if (value.fact.constant && !graph.consumers(id).empty()) bytes += int64_t(value.fact.constant.bytes());
  }
  return bytes;
}

int64_t prevalent_opset(const Graph& graph) {
  std::map<int64_t, int> nodes;
  for (const NodeId id : graph.nodes()) {
    const NodeSpec& spec = graph.node(id).spec;
    if (spec.domain.empty()) ++nodes[spec.opset];
  }
  const auto most = std::max_element(nodes.begin(), nodes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return most == nodes.end() ? 0 : most->first;
}

std::string join(const std::vector<ValueInfo>& infos) {
  std::string names;
  for (const ValueInfo& info : infos) names += str(names.empty() ? "'" : ", '", info.name, "'");
  return names;
}

size_t input_index(const std::vector<ValueInfo>& infos, const std::string& name) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const ValueInfo& i) { return i.name == name; });
  if (found == infos.end()) {
    throw Error(ErrorKind::kModel, str("there is no input '", name, "'; the inputs are ", join(infos)));
  }
  return size_t(found - infos.begin());
}

bool overlap(const Tensor& a, const Tensor& b) {
  if (!a || !b) return false;
  const auto begin = [](const Tensor& t) { return static_cast<const std::byte*>(t.raw()); };
  const std::less<const std::byte*> before;
  return before(begin(a), begin(b) + b.bytes()) && before(begin(b), begin(a) + a.bytes());
}

}  // namespace

struct Model::State {
  State(Graph graph, const ModelOptions& options) : resources(std::make_shared<ModelResources>()) {
    const auto begin = std::chrono::steady_clock::now();
    report.nodes = int64_t(graph.nodes().size());
    report.opset = prevalent_opset(graph);
    resources->options = options;
    resources->executor = options.executor ? options.executor : make_openmp_executor();
    graph.drop_dead_nodes();
    propagate_facts(graph, *resources);
    optimize_bodies(graph, *resources);
    optimize(graph, *resources);
    inputs = input_infos(graph);
    outputs = output_infos(graph);
    program = std::make_shared<Program>(std::move(graph), resources);
    report.weights_bytes = constant_bytes(program->graph());
    report.optimize_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  void specialize(std::span<const Tensor> tensors) {
    resources->executor->hold([&](int64_t, int) { program = Program::specialized(std::move(program), tensors); });
    inputs = input_infos(program->graph());
    outputs = output_infos(program->graph());
  }

  static Model model(std::shared_ptr<State> state) { return Model(std::move(state)); }
  static const State& of(const Model& model) { return *model.state_; }

  std::shared_ptr<ModelResources> resources;
  std::shared_ptr<Program> program;
  std::vector<ValueInfo> inputs, outputs;
  LoadReport report;
};

Model make_model(Graph graph, const ModelOptions& options) {
  return Model::State::model(std::make_shared<Model::State>(std::move(graph), options));
}

const Graph& model_graph(const Model& model) { return Model::State::of(model).program->graph(); }

const std::vector<ValueInfo>& Model::inputs() const { return state_->inputs; }
const std::vector<ValueInfo>& Model::outputs() const { return state_->outputs; }
const ModelOptions& Model::options() const { return state_->resources->options; }
const LoadReport& Model::load_report() const { return state_->report; }

Model Model::specialized(std::span<const Tensor> inputs) && {
  auto state = state_.use_count() == 1 ? std::move(state_) : std::make_shared<State>(*state_);
  with_memory_errors("prepare the model", [&] { state->specialize(inputs); });
  return Model(std::move(state));
}

struct Context::Impl {
  Impl(const Model& model_in, const ContextOptions& options)
      : model(model_in),
        runner(model.state_->program),
        environment(options, model.state_->resources->executor),
        ordered(model.inputs().size()) {}

  std::span<const Tensor> run(std::span<const Tensor> inputs);
  std::span<const Tensor> run_apart(std::span<const Tensor> inputs);

  Model model;
  Runner runner;
  RunEnvironment environment;
  std::vector<Tensor> ordered;
  std::chrono::steady_clock::duration last_run{};
};

/// Threads are held ready where the run before took long enough to pay for it.
std::span<const Tensor> Context::Impl::run(std::span<const Tensor> inputs) {
  constexpr std::chrono::microseconds kWorthHolding(200);
  const auto begin = std::chrono::steady_clock::now();
  std::span<const Tensor> outputs;
  if (last_run > kWorthHolding) {
    environment.executor().hold([&](int64_t, int) { outputs = runner.run(inputs, environment); });
  } else {
    outputs = runner.run(inputs, environment);
  }
  last_run = std::chrono::steady_clock::now() - begin;
  return outputs;
}

/// Inputs may be, or lie in, outputs of the run before: those are kept, so that this run writes others.
std::span<const Tensor> Context::Impl::run_apart(std::span<const Tensor> inputs) {
  const std::span<const Tensor> outputs = runner.outputs();
  const auto lies_in_output = [&](const Tensor& input) {
    return std::any_of(outputs.begin(), outputs.end(), [&](const Tensor& output) { return overlap(input, output); });
  };
  if (std::none_of(inputs.begin(), inputs.end(), lies_in_output)) return run(inputs);
  const std::vector<Tensor> given(inputs.begin(), inputs.end()), kept(outputs.begin(), outputs.end());
  return run(given);
}

Context::Context(const Model& model, const ContextOptions& options) : impl_(std::make_unique<Impl>(model, options)) {}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

std::span<const Tensor> Context::run(std::span<const Tensor> inputs, const RunOptions& options) {
  impl_->environment.begin_run(options);
  return with_memory_errors("run the model", [&] { return impl_->run_apart(inputs); });
}

std::span<const Tensor> Context::run(const std::vector<std::pair<std::string, Tensor>>& inputs,
                                     const RunOptions& options) {
  const std::vector<ValueInfo>& infos = impl_->model.inputs();
  std::fill(impl_->ordered.begin(), impl_->ordered.end(), Tensor());
  for (const auto& [name, tensor] : inputs) impl_->ordered[input_index(infos, name)] = tensor;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!impl_->ordered[i]) {
      throw Error(ErrorKind::kModel, str("input '", infos[i].name, "' is missing; the inputs are ", join(infos)));
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
