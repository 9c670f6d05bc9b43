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

/// A graph whose states grow, for runs that write new rows into memory with room for more: one plan for each capacity,
/// whatever the rows in use. For inputs of which only the rows of the states, and what depends on them, differ.
/// Immutable but for what it makes when first asked for; thread-safe.
class GrowingProgram {
 public:
  /// states: inputs and outputs of `program`, which the class is one of.
  GrowingProgram(const Graph& program, const ShapeClass& shapes, const std::vector<GrowingState>& states,
                 const std::vector<PlanInput>& inputs, const std::shared_ptr<const ModelResources>& resources);

  /// Whether it is made for these states, and for inputs of these shapes, apart from dims that grow.
  bool is_for(const std::vector<GrowingState>& states, std::span<const Tensor> inputs) const;
  /// Whether a run with these inputs can be made in place. Allocates nothing.
  bool takes(std::span<const Tensor> inputs) const { return can_grow_ && fits(inputs); }

  const std::vector<GrowingState>& states() const { return states_; }
  /// As the program's states, by count: the rows that each run adds, and of each state which count is that of its rows.
  const std::vector<int64_t>& added() const { return growth_.added; }
  const std::vector<size_t>& counts() const { return growth_.counts; }

  /// The program for one capacity of each count.
  struct Steps {
    std::vector<int64_t> capacities;
    std::shared_ptr<Program> program;
    std::vector<GrowingGraph::Source> sources;  ///< of its inputs but the first, which holds the counts
  };
  /// nullptr where there is none for these.
  std::shared_ptr<const Steps> steps(const std::vector<int64_t>& capacities) const;

 private:
  /// What is known of an input: dims that grow with the states.
  struct Input {
    DType dtype;
    std::vector<LinearDim> dims;
  };

  /// Prepares the graph with these dims for the open ones.
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
  std::vector<LinearDim> positive_;  // what must not be negative
  Graph open_;
  bool can_grow_ = false;
  mutable std::mutex mutex_;
  mutable std::list<std::shared_ptr<const Steps>> steps_;  // most recently used first
};

}  // namespace linnet
