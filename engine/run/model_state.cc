#include "run/model_state.h"

#include <algorithm>
#include <chrono>

#include "environment/checked_executor.h"
#include "environment/run_environment.h"
#include "linnet/did_you_mean.h"
#include "passes/passes.h"
#include "run/value_infos.h"
#include "tensor/bool_bytes.h"
#include "tensor/dim_scope.h"
#include "tensor/large_block.h"
#include "tensor/quantity.h"
#include "tensor/stored_contents.h"

namespace linnet {
namespace {

/// Adds to an inferred fact the names of dims, and what could not be inferred, as declared.
void add_declared(Fact& fact, const Fact& declared) {
  if (fact.dtype != declared.dtype || !declared.dims) return;
  if (!fact.dims) fact.dims = declared.dims;
  for (size_t i = 0; i < fact.dims->size() && fact.dims->size() == declared.dims->size(); ++i) {
    const Dim& dim = (*declared.dims)[i];
    if (!(*fact.dims)[i].known() && dim.determined()) (*fact.dims)[i] = dim;
  }
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

std::optional<size_t> find_name(const std::vector<ValueInfo>& infos, const std::string& name) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const ValueInfo& i) { return i.name == name; });
  return found == infos.end() ? std::nullopt : std::optional(size_t(found - infos.begin()));
}

void check_weight(const std::string& name, const Tensor& before, const Tensor& weight) {
  if (weight.dtype() == before.dtype() && weight.shape() == before.shape()) return;
  throw Error(weight.dtype() == before.dtype() ? ErrorKind::kShape : ErrorKind::kType,
              str("initializer '", name, "' is ", describe(before), ", not ", describe(weight)));
}

/// Replaces every initializer of that name; several bodies may have one. False if the name does not occur.
bool replace_weight(Graph& graph, const std::string& name, const Tensor& weight) {
  bool found = false;
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Tensor& before = graph.fact(id).constant;
    if (graph.value(id).name != name || !before) continue;
    check_weight(name, before, weight);
    graph.set_fact(id, Fact(weight));
    found = true;
  }
  return found;
}

/// Collects the constants that nodes read, including those of bodies, by address: a body may share those of the outer
/// graph.
void find_constants(const Graph& graph, std::map<const void*, const Tensor*>& found) {
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Tensor& constant = graph.fact(id).constant;
    if (constant && !graph.consumers(id).empty()) found.emplace(constant.address(), &constant);
  }
  for (const NodeId id : graph.nodes()) {
    for (const auto& [name, attribute] : graph.node(id).spec.attributes) {
      if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute)) find_constants(**body, found);
    }
  }
}

template <class F>
int64_t sum_of_constants(const Graph& graph, F bytes_of) {
  std::map<const void*, const Tensor*> found;
  find_constants(graph, found);
  int64_t bytes = 0;
  for (const auto& [address, constant] : found) bytes += int64_t(bytes_of(*constant));
  return bytes;
}

std::string optional_inputs(size_t count) {
  return count == 0 ? "" : str(" and up to ", count, " overridable initializers");
}

}  // namespace

int64_t constant_bytes(const Graph& graph) {
  return sum_of_constants(graph, [](const Tensor& constant) { return constant.bytes(); });
}

int64_t held_constant_bytes(const Graph& graph) {
  return sum_of_constants(
      graph, [](const Tensor& constant) { return StoredContents::in_memory(constant) ? constant.bytes() : 0; });
}

std::string quoted_names(const std::vector<ValueInfo>& infos) {
  std::string names;
  for (const ValueInfo& info : infos) names += str(names.empty() ? "'" : ", '", info.name, "'");
  return names;
}

Model::State::State(Graph graph, const ModelOptions& options, GraphNotes notes_in)
    : resources(std::make_shared<ModelResources>()), notes(std::move(notes_in)) {
  if (options.replaceable_weights) as_written = graph;
  const LoadingBlocks more_kept;
  const auto begin = std::chrono::steady_clock::now();
  report.nodes = notes.report ? notes.report->nodes : int64_t(graph.nodes().size());
  report.opset = notes.report ? notes.report->opset : prevalent_opset(graph);
  resources->options = options;
  resources->packs.use(notes.packs);
  resources->executor = make_checked_executor(options.executor ? options.executor : make_thread_executor());
  resources->account = MemoryAccount::current_or(options.limits.memory_bytes);
  DimNames names(graph);
  within_load_limits(options.limits, resources->account, [&] {
    const DimScope without_assumptions;
    prepare(graph);
  });
  program = std::make_shared<Program>(std::move(graph), resources, std::vector<Program::State>{}, std::move(names));
  describe();
  for (size_t i = 0; i < notes.declared.size(); ++i) add_declared(outputs[i].fact, notes.declared[i]);
  report.weights_bytes = constant_bytes(program->graph());
  report.optimize_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (options.log) tell(options.log);
}

void Model::State::prepare(Graph& graph) const {
  for (const std::string& name : resources->options.disabled_rewrites) require_rewrite(name, *graph.registry());
  graph.drop_dead_nodes();
  if (resources->options.optimization > 0) merge_equal_constants(graph);
  optimize_bodies(graph, *resources);
  optimize(graph, *resources);
  check_contents(graph);
}

void Model::State::describe() {
  const size_t all = program->graph().inputs().size(), needed = all - notes.defaults.size();
  all_inputs = input_infos(*program, 0, all);
  denote(all_inputs);
  inputs.assign(all_inputs.begin(), all_inputs.begin() + ptrdiff_t(needed));
  overridable.assign(all_inputs.begin() + ptrdiff_t(needed), all_inputs.end());
  outputs = output_infos(*program);
  denote(outputs);
}

void Model::State::denote(std::vector<ValueInfo>& infos) const {
  for (ValueInfo& info : infos) {
    const auto found = notes.denotations.find(info.name);
    if (found != notes.denotations.end()) info.denotation = found->second;
  }
}

void Model::State::tell(const Log& log) const {
  const Graph& graph = program->graph();
  log(LogLevel::kInfo,
      str("loaded ", report.nodes, " nodes, ", graph.nodes().size(), " after ", human_time(report.optimize_ms),
          " of rewrites, ", human_bytes(report.weights_bytes), " of weights"));
  for (const ValueId id : graph.inputs()) {
    if (graph.consumers(id).empty() && !graph.is_output(id)) {
      log(LogLevel::kWarning, str("nothing reads input '", graph.value(id).name, "'"));
    }
  }
}

void Model::State::specialize(std::span<const Tensor> tensors) {
  const LoadingBlocks more_kept;
  std::vector<Tensor> all(inputs.size() + overridable.size());
  complete(tensors, all);
  within_load_limits(resources->options.limits, resources->account, [&] {
    resources->executor->hold([&](int64_t, int) { program = Program::specialized(std::move(program), all); });
  });
  describe();
}

void Model::State::complete(std::span<const Tensor> given, std::vector<Tensor>& all) const {
  if (given.size() < inputs.size() || given.size() > all.size()) {
    throw Error(ErrorKind::kModel, str("expected ", inputs.size(), " inputs", optional_inputs(overridable.size()),
                                       ", got ", given.size()));
  }
  std::fill(std::copy(given.begin(), given.end(), all.begin()), all.end(), Tensor());
  for (size_t i = inputs.size(); i < all.size(); ++i) {
    if (!all[i]) all[i] = notes.defaults[i - inputs.size()];
  }
}

size_t Model::State::input_index(const std::string& name) const {
  if (const auto i = find_name(inputs, name)) return *i;
  if (const auto i = find_name(overridable, name)) return inputs.size() + *i;
  throw Error(ErrorKind::kModel,
              str("there is no input '", name, "'; the inputs are ", quoted_names(inputs), did_you_mean(name, inputs)));
}

const Tensor& Model::State::default_of(const std::string& name) const {
  static const Tensor none;
  const auto i = find_name(overridable, name);
  return i ? notes.defaults[*i] : none;
}

Model::State Model::State::with_weights(const std::map<std::string, Tensor>& weights) const {
  if (!as_written) {
    throw Error(ErrorKind::kUnsupported, "the model was loaded without ModelOptions::replaceable_weights");
  }
  Graph graph = *as_written;
  GraphNotes replaced = notes;
  for (const auto& [name, given] : weights) {
    const Tensor weight = normalized_bools(given);
    const auto i = find_name(overridable, name);
    if (i) {
      check_weight(name, replaced.defaults[*i], weight);
      replaced.defaults[*i] = weight;
    }
    if (!replace_weight(graph, name, weight) && !i) {
      throw Error(ErrorKind::kModel, str("there is no initializer '", name, "'", did_you_mean(name, overridable)));
    }
  }
  ModelOptions options = resources->options;
  options.executor = resources->executor;
  return State(std::move(graph), options, std::move(replaced));
}

}  // namespace linnet
