#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "environment/heap_trim.h"
#include "linnet/model.h"
#include "plan/program.h"
#include "run/model_graph.h"

namespace linnet {

struct Model::State {
  State(Graph graph, const ModelOptions& options, GraphNotes notes);

  void specialize(std::span<const Tensor> tensors);
  State with_weights(const std::map<std::string, Tensor>& weights) const;
  /// Where runs take an input or overridable initializer. Throws Error(kModel) for an unknown name.
  size_t input_index(const std::string& name) const;
  /// What an overridable initializer has in the file; no Tensor of another name.
  const Tensor& default_of(const std::string& name) const;
  /// Fills `all` with what a run is given, and defaults where it may leave inputs out.
  void complete(std::span<const Tensor> given, std::vector<Tensor>& all) const;

  static Model model(std::shared_ptr<State> state) { return Model(std::move(state)); }
  static const State& of(const Model& model) { return *model.state_; }

  HeapTrim behind_all;
  std::shared_ptr<ModelResources> resources;
  std::shared_ptr<Program> program;
  std::vector<ValueInfo> inputs, overridable, outputs;
  std::vector<ValueInfo> all_inputs;  // inputs, then overridable
  GraphNotes notes;
  std::optional<Graph> as_written;  // where weights are replaceable
  LoadReport report;

 private:
  void prepare(Graph& graph) const;
  void describe();
  void denote(std::vector<ValueInfo>& infos) const;
  void tell(const Log& log) const;
};

/// What the graph's constants hold.
int64_t constant_bytes(const Graph& graph);

/// Those of which lie in memory.
int64_t held_constant_bytes(const Graph& graph);

/// "'a', 'b'".
std::string quoted_names(const std::vector<ValueInfo>& infos);

}  // namespace linnet
