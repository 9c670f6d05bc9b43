#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "plan/open_dims.h"
#include "plan/plan.h"
#include "plan/share_constants.h"
#include "plan/size_elements.h"
#include "tensor/dim_scope.h"

namespace linnet {

/// A program's graph, optimised once for many sizes of its inputs: some open dims are numbers, all others symbols. What
/// the graph is depends on the program and these numbers alone. Where an operator refuses what is assumed, no inputs
/// meet the conditions. Thread-safe.
class ShapeClass {
 public:
  /// Numbers by the index of an open dim.
  using Fixed = std::map<size_t, int64_t>;

  ShapeClass(const Graph& program, const OpenDims& open, const Fixed& fixed, const ModelResources& resources);

  const Graph& graph() const { return graph_; }
  const OpenDims& open() const { return open_; }
  /// What its operators demand of the open dims.
  const std::vector<DimScope::Lesson>& conditions() const { return conditions_; }
  bool meets_conditions(const std::vector<PlanInput>& inputs) const;
  const Fixed& fixed() const { return fixed_; }
  /// The open dims that are taken to be 2 or more.
  const std::set<size_t>& assumed() const { return assumed_; }

  /// The graph for these inputs, whose fixed and assumed dims fit the class. nullopt where an operator that the program
  /// has, but perhaps not the class, would refuse them.
  std::optional<Graph> bind(const std::vector<PlanInput>& inputs, const ModelResources& resources) const;

  /// A plan that was made last of a graph that bind() gave, while somebody has it.
  std::shared_ptr<const Plan> latest_plan() const;
  void set_latest_plan(const std::shared_ptr<const Plan>& plan);

 private:
  const OpenDims& open_;
  Fixed fixed_;
  std::set<size_t> assumed_;
  std::vector<DimScope::Lesson> conditions_;
  bool is_refused_ = false;
  Graph graph_, to_bind_;
  std::optional<SizeElements> elements_;  // of to_bind_
  ConstantSet constants_;                 // of both
  CountedMemory counted_;                 // of both
  mutable std::mutex mutex_;
  std::weak_ptr<const Plan> latest_plan_;
};

}  // namespace linnet
