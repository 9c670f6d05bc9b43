#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "plan/assumed_dims.h"
#include "plan/plan.h"

namespace linnet {

/// The largest open dim of inputs of a graph that is finished().
inline constexpr int64_t kMostOpenDim = int64_t{1} << 15;

/// A graph optimised once with open dims, which takes the facts of one set of inputs after the other. Thread-safe.
class OpenGraph {
 public:
  /// `graph`, a program's: what its dims have in common for the inputs a and b is assumed of all.
  OpenGraph(const Graph& graph, const std::vector<PlanInput>& a, const std::vector<PlanInput>& b,
            const ModelResources& resources);

  /// A copy with the facts of these inputs, and the plan that was made of one last, while somebody has it.
  struct Bound {
    Graph graph;
    std::shared_ptr<const Plan> like;
  };
  /// nullopt where what was assumed does not hold for these inputs.
  std::optional<Bound> bind(const std::vector<PlanInput>& inputs, const ModelResources& resources);
  /// Takes note of a plan that was made of a copy.
  void set_latest_plan(const std::shared_ptr<const Plan>& plan);

 private:
  OpenGraph(const Graph& graph, const std::vector<Fact>& low, const std::vector<Fact>& high,
            const ModelResources& resources);
  bool take(const std::vector<PlanInput>& inputs, const ModelResources& resources);
  void set_facts(const std::vector<Fact>& inputs, const ModelResources& resources);

  std::mutex mutex_;
  Graph graph_;
  AssumedDims assumed_;
  std::weak_ptr<const Plan> latest_plan_;
  bool is_bound_ = false;  // false: dims are still open, or binding failed
};

/// What is known of inputs.
std::vector<Fact> facts_of(const std::vector<PlanInput>& inputs);

}  // namespace linnet
