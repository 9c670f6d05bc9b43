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
  /// The index of an input or overridable initializer in a run's inputs. Throws Error(kModel) for an unknown name.
  size_t input_index(const std::string& name) const;
  /// The value of an overridable initializer in the file; an empty Tensor for any other name.
  const Tensor& default_of(const std::string& name) const;
  /// Fills `all` with the inputs given to a run, and with defaults for inputs that may be left out.
  void complete(std::span<const Tensor> given, std::vector<Tensor>& all) const;

  static Model model(std::shared_ptr<State> state) { return Model(std::move(state)); }
  static const State& of(const Model& model) { return *model.state_; }

  HeapTrim behind_all;
  std::shared_ptr<ModelResources> resources;
  std::shared_ptr<Program> program;
  std::vector<ValueInfo> inputs, overridable, outputs;
  std::vector<ValueInfo> all_inputs;  // inputs, then overridable
  GraphNotes notes;
  std::optional<Graph> as_written;  // set if weights are replaceable
  LoadReport report;

 private:
  void prepare(Graph& graph) const;
  void describe();
  void denote(std::vector<ValueInfo>& infos) const;
  void tell(const Log& log) const;
};

/// The bytes of the graph's constants.
int64_t constant_bytes(const Graph& graph);

/// The bytes of those constants that are in memory.
int64_t held_constant_bytes(const Graph& graph);

/// "'a', 'b'".
std::string quoted_names(const std::vector<ValueInfo>& infos);

}  // namespace linnet
