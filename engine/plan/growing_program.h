#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graph/rewrite.h"
#include "plan/linear_dim.h"
#include "plan/program.h"
#include "plan/shape_class.h"

namespace linnet {

/// A graph whose states grow, divided so that a run writes their new rows into memory with room for more: one plan for
/// each capacity, whatever their lengths. For inputs of which only the rows of the states, and what depends on them,
/// differ. Immutable.
class GrowingProgram {
 public:
  /// states: inputs and outputs of `program`, which the class is one of.
  GrowingProgram(const Graph& program, const ShapeClass& shapes, const std::vector<GrowingState>& states,
                 const std::vector<PlanInput>& inputs, const std::shared_ptr<const ModelResources>& resources);

  /// Whether it is made for these states, and for inputs of these shapes, apart from dims that grow.
  bool is_for(const std::vector<GrowingState>& states, std::span<const Tensor> inputs) const;
  /// The rows that a run with these inputs adds to its states. nullopt where the graph could not be divided, or was
  /// divided for other inputs. Allocates nothing.
  std::optional<int64_t> rows_asked(std::span<const Tensor> inputs) const;

  const std::vector<GrowingState>& states() const { return states_; }
  const std::shared_ptr<Program>& sizes() const { return sizes_; }
  const std::shared_ptr<Program>& steps() const { return steps_; }
  /// Whether anything depends on lengths.
  bool has_sizes() const { return !sizes_->graph().outputs().empty(); }

  /// What an input of `steps` is.
  struct Source {
    enum class Kind { kInput, kRows, kSize } kind;
    size_t index = 0;          ///< of the program's inputs, or of the outputs of `sizes`
    bool has_columns = false;  ///< its last dim is the capacity
  };
  const std::vector<Source>& sources() const { return sources_; }

 private:
  /// What is known of an input: dims that grow with the states.
  struct Input {
    DType dtype;
    std::vector<LinearDim> dims;

    static Input of(const PlanInput& input);
  };

  /// Divides the graph with these dims for the open ones.
  void open_graph(const ShapeClass& shapes, const DimSubstitution& dims, const Dim& rows, const Graph& exact,
                  const std::shared_ptr<const ModelResources>& resources);
  bool fits(std::span<const Tensor> inputs) const;
  bool note_inputs(const Graph& graph, const Dim& rows);
  bool note_conditions(const std::vector<DimScope::Lesson>& conditions, const DimSubstitution& dims, const Dim& rows);
  void divide(const Graph& open, const std::shared_ptr<const ModelResources>& resources);
  void find_sources(const GrowingGraphs& graphs, const Graph& open);

  std::vector<GrowingState> states_;  // as values of the program
  std::vector<GrowingState> own_;     // as those of the class
  size_t counted_;                    // the input whose rows are counted
  std::vector<Input> inputs_;
  std::vector<LinearDim> positive_;         // what must not be negative
  std::shared_ptr<Program> sizes_, steps_;  // nullptr: the graph cannot be divided
  std::vector<Source> sources_;
  int64_t rows_ = 0;  // that a run adds to each state
};

}  // namespace linnet
