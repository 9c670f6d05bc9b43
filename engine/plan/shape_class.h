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

/// A program's graph, optimised once for many sizes of its inputs: some open dims are fixed numbers, all others
/// symbols. The graph depends only on the program and these numbers. If an operator rejects the assumptions, no inputs
/// meet the conditions. Thread-safe.
class ShapeClass {
 public:
  /// The fixed sizes, by the index of an open dim.
  using Fixed = std::map<size_t, int64_t>;

  ShapeClass(const Graph& program, const OpenDims& open, const Fixed& fixed, const ModelResources& resources);

  const Graph& graph() const { return graph_; }
  const OpenDims& open() const { return open_; }
  /// The conditions that its operators impose on the open dims.
  const std::vector<DimScope::Lesson>& conditions() const { return conditions_; }
  bool meets_conditions(const std::vector<PlanInput>& inputs) const;
  const Fixed& fixed() const { return fixed_; }
  /// The open dims that are assumed to be at least 2.
  const std::set<size_t>& assumed() const { return assumed_; }

  /// The graph for these inputs, whose fixed and assumed dims must fit the class. nullopt if an operator of the
  /// program, though perhaps not of the class, would reject them.
  std::optional<Graph> bind(const std::vector<PlanInput>& inputs, const ModelResources& resources) const;

  /// The last plan made of a graph that bind() returned, if it still exists.
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
