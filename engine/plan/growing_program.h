#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "plan/growing_graph.h"
#include "plan/program.h"
#include "plan/shape_class.h"

namespace linnet {

/// A graph whose states grow, for runs that write new rows into memory with room for more. It has one plan for each
/// capacity, whatever the number of rows in use. Its inputs differ only in the rows of the states and what depends on
/// them. Immutable except for what it makes on first request; thread-safe.
class GrowingProgram {
 public:
  /// states: inputs and outputs of `program`, of which `shapes` is a class.
  GrowingProgram(const Graph& program, const ShapeClass& shapes, const std::vector<GrowingState>& states,
                 const std::vector<PlanInput>& inputs, const std::shared_ptr<const ModelResources>& resources);

  /// Whether it was made for these states and for inputs of these shapes, apart from dims that grow.
  bool is_for(const std::vector<GrowingState>& states, std::span<const Tensor> inputs) const;
  /// Whether a run with these inputs can grow its states in place. Allocates nothing.
  bool takes(std::span<const Tensor> inputs) const { return can_grow_ && fits(inputs); }

  const std::vector<GrowingState>& states() const { return states_; }
  /// The rows that each run adds, by count, and for each of the program's states the count that it belongs to.
  const std::vector<int64_t>& added() const { return growth_.added; }
  const std::vector<size_t>& counts() const { return growth_.counts; }

  /// The program for one capacity per count.
  struct Steps {
    std::vector<int64_t> capacities;
    std::shared_ptr<Program> program;
    std::vector<GrowingGraph::Source> sources;  ///< the sources of its inputs but the first, which contains the counts
  };
  /// The program for these capacities; nullptr if there cannot be one.
  std::shared_ptr<const Steps> steps(const std::vector<int64_t>& capacities) const;

 private:
  /// The dtype and dims of an input. Its dims grow with the states.
  struct Input {
    DType dtype;
    std::vector<LinearDim> dims;
  };

  /// Prepares the graph with `dims` in place of the open ones.
  void open_graph(const ShapeClass& shapes, const DimSubstitution& dims, const Graph& exact,
                  const std::vector<PlanInput>& inputs);
  bool compute_alike_later(const ShapeClass& shapes, const GrowingGraph& graph, std::vector<int64_t> rows) const;
  bool note_inputs(const std::vector<PlanInput>& inputs);
  bool note_conditions(const std::vector<DimScope::Lesson>& conditions, const DimSubstitution& dims);
  bool fits(std::span<const Tensor> inputs) const;
  bool reads_rows(std::span<const Tensor> inputs, std::span<int64_t> rows) const;

  std::vector<GrowingState> states_;  // as values of the program
  Growth growth_;                     // as values of the class
  std::vector<size_t> counted_;       // by count: the state whose rows are counted
  std::vector<size_t> state_inputs_;  // by state: its number among the inputs
  std::shared_ptr<const ModelResources> resources_;
  std::vector<Input> inputs_;
  std::vector<LinearDim> positive_;  // values that must not be negative
  Graph open_;
  bool can_grow_ = false;
  mutable std::mutex mutex_;
  mutable std::list<std::shared_ptr<const Steps>> steps_;  // most recently used first
};

}  // namespace linnet
