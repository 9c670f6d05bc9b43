#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "plan/plan.h"

namespace linnet {

/// Compiles the nodes of a plan or reuses the kernels of a similar plan. With Sources::kFreed, it frees constants that
/// are no longer read.
class PlanKernels {
 public:
  /// `computed`, by value: whether a node of the plan computes it.
  PlanKernels(Plan& plan, const std::vector<bool>& computed, std::shared_ptr<const ModelResources> resources,
              const PlanOptions& options);

  /// Compiles the nodes. Call it once. Throws what operators throw, with the node's description.
  void compile(const std::vector<NodeId>& nodes);
  /// A compiled node with its kernel, but without slots. Call it once for each node.
  PlannedNode take(NodeId id) { return std::move(compiled_[size_t(place_[size_t(id)])]); }

  /// The tensor for the slot of a constant; one without values if the constant was freed.
  std::shared_ptr<const Tensor> constant(ValueId value) const;
  bool is_constant(ValueId value) const { return graph().fact(value).constant && !computed_[size_t(value)]; }
  bool is_freed(ValueId value) const { return freed_.contains(value); }
  /// The bytes of the kernels that were compiled for this plan.
  size_t bytes() const { return bytes_; }

 private:
  const Graph& graph() const { return plan_.graph; }
  void remember(const Plan& like);
  const PlannedNode* known(const Node& node) const;
  bool same_facts(const std::vector<ValueId>& values) const;
  PlannedNode compile(const Node& node);
  size_t constant_bytes(NodeId id) const;
  void read_constants(const Node& node, const Kernel& kernel) const;
  void finish_packs() const;
  bool is_read_by(const Node& node, ValueId value) const;
  bool nobody_reads(ValueId value) const;
  void free_constant(ValueId value);

  Plan& plan_;
  const std::vector<bool>& computed_;
  const std::shared_ptr<const ModelResources> resources_;
  const PlanOptions& options_;
  std::vector<const PlannedNode*> known_;  // by node, of the similar plan
  std::set<const void*> known_packed_;     // constants that its kernels hold
  std::vector<PlannedNode> compiled_;
  std::vector<int> place_;                                  // by node: its index in compiled_, or -1
  std::map<ValueId, std::shared_ptr<const Tensor>> freed_;  // without values
  size_t bytes_ = 0;
};

}  // namespace linnet
