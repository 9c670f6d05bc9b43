#pragma once

#include <map>
#include <string>

#include "compile/pack_files.h"
#include "graph/graph.h"
#include "linnet/model.h"
#include "plan/plan.h"

namespace linnet {

/// The contents of a model file besides its graph.
struct GraphNotes {
  ModelMetadata metadata;
  std::vector<Tensor> defaults;                     ///< contents of the last inputs, which a run may leave out
  std::vector<Fact> declared;                       ///< the declared fact of each output, or empty
  std::map<std::string, Denotation> denotations{};  ///< the denotations of inputs and outputs by name
  std::optional<LoadReport> report{};            ///< the original nodes and opset of a graph that was optimised before
  std::shared_ptr<PackFiles> packs{};            ///< the files of ModelOptions::cache_dir
  std::shared_ptr<const CountedMemory> nodes{};  ///< the memory of names and attributes
};

/// Optimises a graph and makes a model. Throws what its operators throw.
LINNET_API Model make_model(Graph graph, const ModelOptions& options, GraphNotes notes = {});

/// The graph that runs, after rewrites.
LINNET_API const Graph& model_graph(const Model& model);

/// The same graph with the declared names of the inputs' dims, which the graph that runs does not trust; for writing
/// it.
LINNET_API Graph declared_graph(const Model& model);

/// The most recently used plan, then the one made for its rest, and so on; empty before a run.
LINNET_API std::vector<std::shared_ptr<const Plan>> latest_plans(const Model& model);

}  // namespace linnet
