#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "plan/open_graph.h"
#include "plan/plan.h"

namespace linnet {

/// Inputs that differ only in dims which the graph leaves open, each within a power of two; 0 and 1, for which other
/// rules hold, resemble themselves alone. From the second such inputs on the graph is optimised once for all of them,
/// with those dims open: a plan then takes facts and kernels from the one before where its dims change nothing. What
/// was made for one family serves others. Where a graph that knows its dims is optimised otherwise, each plan has a
/// graph of its own. Thread-safe: who comes while the graph is made plans without it.
class ShapeFamily {
 public:
  /// nullptr where contents of inputs matter, which make each plan another.
  static std::shared_ptr<ShapeFamily> of(const Graph& graph, const std::vector<PlanInput>& inputs);

  bool is_like(const ShapeFamily& other) const { return sizes_ == other.sizes_; }

  /// Whether the graph that this family has may serve the other.
  bool may_lend_to(const ShapeFamily& other) const;
  /// Before the first plan.
  void borrow(const ShapeFamily& lender) { open_ = lender.shared_graph(); }

  /// The plan for inputs of this family, of which `graph` is a program's.
  std::shared_ptr<const Plan> make(const Graph& graph, std::vector<PlanInput> inputs,
                                   const std::shared_ptr<const ModelResources>& resources, const RunEnvironment* run);

 private:
  /// What a plan is made of: a graph of its own, or a copy of an open one.
  struct Source {
    Graph graph;
    std::shared_ptr<const Plan> like{};
    std::shared_ptr<OpenGraph> open{};
  };
  Source source(const Graph& graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);
  /// The source while it is not known whether there is an open graph for all; finds that out.
  Source learn(const Graph& graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);
  /// What all plans of the family are made of; nullptr: there is none yet, or it is not alike.
  std::shared_ptr<OpenGraph> shared_graph() const;
  void share_graph();

  std::vector<std::vector<int>> sizes_;  // of each dim of each input: as many bits as its power of two has
  std::mutex learning_;
  std::vector<PlanInput> first_;     // the inputs of the first plan
  bool alike_ = true;                // false: an open graph was not
  std::shared_ptr<OpenGraph> open_;  // borrowed, or made for the second plan; nullptr: neither, or it is not alike
  mutable std::mutex sharing_;
  std::shared_ptr<OpenGraph> shared_;  // open_ once it has been compared
};

/// A graph's input facts for these inputs, and what follows from them: the graph optimised for a plan.
Graph specialized(Graph graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);
/// The same for one of many plans: constants are shared with the others.
Graph one_of_many(const Graph& graph, const std::vector<PlanInput>& inputs, const ModelResources& resources);

}  // namespace linnet
