#pragma once

#include <memory>
#include <vector>

#include "plan/assumed_dims.h"
#include "plan/plan.h"

namespace linnet {

/// A graph optimised once with open dims, which takes the facts of one set of inputs after the other.
class OpenGraph {
 public:
  /// `graph`, a program's: what its dims have in common for the inputs a and b is assumed of all.
  OpenGraph(const Graph& graph, const std::vector<PlanInput>& a, const std::vector<PlanInput>& b,
            const ModelResources& resources);

  /// Takes the facts of these inputs. False where what was assumed does not hold for them.
  bool bind(const std::vector<PlanInput>& inputs, const ModelResources& resources);
  /// With the facts of the inputs that it took last.
  const Graph& graph() const { return graph_; }

  /// The plan made of it last, while somebody has it.
  std::shared_ptr<const Plan> latest_plan() const { return latest_plan_.lock(); }
  void set_latest_plan(const std::shared_ptr<const Plan>& plan) { latest_plan_ = plan; }

 private:
  OpenGraph(const Graph& graph, const std::vector<Fact>& low, const std::vector<Fact>& high,
            const ModelResources& resources);
  void set_facts(const std::vector<Fact>& inputs, const ModelResources& resources);

  Graph graph_;
  AssumedDims assumed_;
  std::weak_ptr<const Plan> latest_plan_;
  bool is_bound_ = false;  // false: dims are still open, or binding failed
};

/// What is known of inputs.
std::vector<Fact> facts_of(const std::vector<PlanInput>& inputs);

}  // namespace linnet
