#pragma once

#include <map>
#include <string>

#include "compile/pack_files.h"
#include "graph/graph.h"
#include "linnet/model.h"
#include "plan/plan.h"

namespace linnet {

/// What a file says beside its graph.
struct GraphNotes {
  ModelMetadata metadata;
  std::vector<Tensor> defaults;                     ///< contents of the last inputs, those that a run may leave out
  std::vector<Fact> declared;                       ///< of each output, or empty
  std::map<std::string, Denotation> denotations{};  ///< of inputs and outputs by name
  std::optional<LoadReport> report{};  ///< of a graph that was optimised before: nodes and opset as they were then
  std::shared_ptr<PackFiles> packs{};  ///< of ModelOptions::cache_dir
  std::shared_ptr<const CountedMemory> nodes{};  ///< names and attributes
};

/// Optimises a graph. Throws what its operators throw.
LINNET_API Model make_model(Graph graph, const ModelOptions& options, GraphNotes notes = {});

/// The graph as it runs, rewrites done.
LINNET_API const Graph& model_graph(const Model& model);

/// The same with the names of dims that inputs declare, where the graph as it runs does not trust them: to be written.
LINNET_API Graph declared_graph(const Model& model);

/// The plan used last, then the one made for its rest, and so on; none before a run.
LINNET_API std::vector<std::shared_ptr<const Plan>> latest_plans(const Model& model);

}  // namespace linnet
