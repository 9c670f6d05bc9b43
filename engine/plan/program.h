#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>

#include "compile/model_resources.h"
#include "environment/in_progress.h"
#include "graph/graph.h"
#include "plan/dim_names.h"
#include "plan/plan.h"
#include "plan/shape_classes.h"

namespace linnet {

class GrowingProgram;
struct GrowingState;

/// A graph and the plans made for it so far, shared by all of its users. Thread-safe: a caller whose plan exists does
/// not wait, and one that needs a new plan waits only for a thread that makes the same.
class Program {
 public:
  /// An input, and the output that is computed in its memory if a kernel can do so.
  using State = Plan::State;

  /// names: of the dims of the graph's inputs.
  Program(Graph graph, std::shared_ptr<const ModelResources> resources, std::vector<State> states = {},
          DimNames names = {});

  const Graph& graph() const { return graph_; }
  const DimNames& names() const { return names_; }

  /// The plan for inputs of these dtypes and shapes (and values, if shapes depend on them). It is made on first use and
  /// cached while ModelOptions::plan_cache_bytes allows. Throws Error(kType, kShape) for inputs that contradict the
  /// graph's facts, Error(kLimit) if a single value exceeds the memory of `run`.
  std::shared_ptr<const Plan> plan_for(std::span<const Tensor> inputs, const RunEnvironment* run = nullptr);

  /// The program for these states and inputs, and for inputs that differ from them only in the rows of states and what
  /// depends on them. nullptr if such a program cannot be made; see also GrowingProgram::takes().
  std::shared_ptr<GrowingProgram> growing(const std::vector<GrowingState>& states, std::span<const Tensor> inputs,
                                          const RunEnvironment* run);

  /// The most recently used plan; nullptr before the first one.
  std::shared_ptr<const Plan> latest_plan() const;

  /// Throws Error(kUnsupported) if shapes depend on the contents of an input.
  void check_plannable(std::span<const Tensor> inputs) const;

  /// A program for inputs of these dtypes and shapes only, with its plan made. Weights that its kernels hold in packed
  /// form are freed meanwhile, unless plans for other contents of the inputs may be needed or something else holds the
  /// weights.
  static std::shared_ptr<Program> specialized(std::shared_ptr<Program> program, std::span<const Tensor> inputs);

  /// The bytes that its plans hold besides the constants of its graph.
  size_t bytes() const;

 private:
  using PlanList = std::list<std::shared_ptr<const Plan>>;

  std::vector<PlanInput> describe_inputs(std::span<const Tensor> inputs) const;
  std::shared_ptr<const Plan> find_plan(std::span<const Tensor> inputs);
  void put_first(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> new_plan(std::vector<PlanInput> inputs, const RunEnvironment* run);
  std::shared_ptr<GrowingProgram> find_growing(const std::vector<GrowingState>& states, std::span<const Tensor> inputs);
  void add_plan(std::unique_lock<std::mutex>& lock, const std::shared_ptr<const Plan>& plan);
  size_t cache_limit() const;
  std::pair<PlanList::iterator, size_t> within_limit(PlanList& plans) const;
  std::map<const void*, size_t> constants() const;

  Graph graph_;
  std::shared_ptr<const ModelResources> resources_;
  std::vector<State> states_;
  DimNames names_;
  CountedMemory counted_;            // of the graph
  std::vector<bool> value_matters_;  // per input
  ShapeClasses classes_;
  mutable std::mutex mutex_;  // held for lookups, but not while a plan is made or freed
  InProgress<std::vector<PlanInput>> planning_;
  PlanList plans_;  // most recently used first
  std::unordered_multimap<uint64_t, PlanList::iterator> by_shapes_;
  std::mutex growing_mutex_;  // likewise
  InProgress<std::vector<PlanInput>> making_growing_;
  std::list<std::shared_ptr<GrowingProgram>> growing_;  // likewise
  size_t other_bytes_ = 0;  // an upper bound on the bytes that plans other than the first hold and it does not
};

/// Checks a tensor against the fact of a graph input. `name` is used in the message.
void check_input(const std::string& name, const Fact& fact, const Tensor& tensor);

}  // namespace linnet
