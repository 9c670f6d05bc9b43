#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "plan/open_graph.h"
#include "plan/plan.h"

namespace linnet {

/// Inputs that differ only in dims which the graph leaves open, each within a power of two; 0 and 1, for which other
/// rules hold, resemble themselves alone. From the second such inputs on the graph is optimised once for all of them,
/// with those dims open: a plan then takes facts and kernels from the one before where its dims change nothing. What
/// was made for one family serves others. Where a graph that knows its dims is optimised otherwise, each plan has a
/// graph of its own.
class ShapeFamily {
 public:
  /// nullopt where contents of inputs matter, which make each plan another.
  static std::optional<ShapeFamily> of(const Graph& graph, const std::vector<PlanInput>& inputs);

  friend bool operator==(const ShapeFamily& a, const ShapeFamily& b) { return a.sizes_ == b.sizes_; }

  /// Whether the graph that this family has may serve the other.
  bool may_lend_to(const ShapeFamily& other) const;
  /// Before the first plan.
  void borrow(const ShapeFamily& lender) { open_ = lender.open_; }

  /// The plan for inputs of this family, of which `graph` is a program's.
  std::shared_ptr<const Plan> make(const Graph& graph, std::vector<PlanInput> inputs,
                                   const std::shared_ptr<const ModelResources>& resources, const RunEnvironment* run);

 private:
  /// nullopt where open_ has taken the facts of the inputs.
  std::optional<Graph> own_graph(const Graph& graph, const std::vector<PlanInput>& inputs,
                                 const ModelResources& resources);

  std::vector<std::vector<int>> sizes_;  // of each dim of each input: as many bits as its power of two has
  std::vector<PlanInput> first_;         // the inputs of the first plan
  bool alike_ = true;
  std::shared_ptr<OpenGraph> open_;  // shared by families; nullptr: there is none yet, or it is not alike
};

/// A graph's input facts for these inputs, and what follows from them: the graph optimised for a plan.
Graph specialized(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);

}  // namespace linnet
