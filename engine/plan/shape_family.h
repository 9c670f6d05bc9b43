#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "plan/assumed_dims.h"
#include "plan/plan.h"

namespace linnet {

/// Inputs that differ only in dims which the graph leaves open, each within a power of two; 0 and 1, for which other
/// rules hold, resemble themselves alone. From the second such inputs on the graph is optimised once for all of them,
/// with those dims open: a plan then takes facts and kernels from the one before where its dims change nothing. Where a
/// graph that knows its dims is optimised otherwise, each plan has a graph of its own.
class ShapeFamily {
 public:
  /// nullopt where contents of inputs matter, which make each plan another.
  static std::optional<ShapeFamily> of(const Graph& graph, const std::vector<PlanInput>& inputs);

  friend bool operator==(const ShapeFamily& a, const ShapeFamily& b) { return a.sizes_ == b.sizes_; }

  /// The plan for inputs of this family, of which `graph` is a program's.
  std::shared_ptr<const Plan> make(const Graph& graph, std::vector<PlanInput> inputs,
                                   const std::shared_ptr<const ModelResources>& resources, const RunEnvironment* run);

 private:
  Graph specialized(const Graph& graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);
  void open(const Graph& graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);
  void bind(const std::vector<PlanInput>& inputs, const ModelResources& resources);

  std::vector<std::vector<int>> sizes_;  // of each dim of each input: as many bits as its power of two has
  std::vector<PlanInput> first_;         // the inputs of the first plan
  bool alike_ = true;
  std::optional<AssumedDims> assumed_;
  std::optional<Graph> bound_;  // optimised with open dims, its facts those of the inputs bound last
  bool is_bound_ = false;       // false: they are still open, or binding failed
  bool is_used_ = false;        // by the latest plan
  std::weak_ptr<const Plan> latest_;
};

/// A graph's input facts for these inputs, and what follows from them: the graph optimised for a plan.
Graph specialized(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);

}  // namespace linnet
