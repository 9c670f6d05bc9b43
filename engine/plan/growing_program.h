#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "graph/rewrite.h"
#include "plan/assumed_dims.h"
#include "plan/program.h"

namespace linnet {

/// A graph whose states grow, divided so that a run writes their new rows into memory with room for more: one plan for
/// each capacity, whatever their lengths. For inputs that differ from those it was made for in dims that grow only.
/// Thread-safe.
class GrowingProgram {
 public:
  /// a, b: the input facts of two runs, of which the states of one have gained rows since the other, and whatever
  /// differs besides is longer by as many. How many rows a run adds does not follow from that.
  GrowingProgram(const Graph& graph, const std::vector<GrowingState>& states, const std::vector<Fact>& a,
                 const std::vector<Fact>& b, const std::shared_ptr<const ModelResources>& resources);
  /// Whether the facts of two runs are such.
  static bool have_grown(const Graph& graph, const std::vector<GrowingState>& states, const std::vector<Fact>& a,
                         const std::vector<Fact>& b);

  /// False where the two runs add different numbers of rows, so that other runs may make a program for these inputs.
  bool has_equal_steps() const { return has_equal_steps_; }
  /// Whether it is made for these states, and inputs are of its shapes, apart from dims that grow.
  bool is_for(const std::vector<GrowingState>& states, std::span<const Tensor> inputs) const;
  /// The rows that a run with these inputs adds to its states, by the dims of the outputs that become them. nullopt
  /// where the graph could not be divided, or what was found to be common to both runs does not hold for these inputs.
  std::optional<int64_t> rows_asked(std::span<const Tensor> inputs);

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
  bool fits(std::span<const Tensor> inputs) const;
  void divide(const Graph& open, const std::shared_ptr<const ModelResources>& resources);
  void find_sources(const GrowingGraphs& graphs, const Graph& open);

  std::vector<GrowingState> states_;
  std::vector<ValueId> outputs_;  // that become them
  std::vector<Fact> facts_;       // of the inputs, dims that grow open
  std::shared_ptr<const ModelResources> resources_;
  std::mutex mutex_;
  std::optional<AssumedDims> assumed_;
  std::shared_ptr<Program> sizes_, steps_;  // nullptr: the graph cannot be divided
  std::vector<Source> sources_;
  bool has_equal_steps_ = false;
  int64_t rows_ = 0;  // that a run adds to each state; 0: it is not known
};

}  // namespace linnet
