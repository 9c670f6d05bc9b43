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
  /// a, b: the input facts of two runs in a row, which differ by the rows that the states have gained.
  GrowingProgram(const Graph& graph, const std::vector<GrowingState>& states, const std::vector<Fact>& a,
                 const std::vector<Fact>& b, const std::shared_ptr<const ModelResources>& resources);
  /// Whether the facts of two runs are such.
  static bool have_grown(const Graph& graph, const std::vector<GrowingState>& states, const std::vector<Fact>& a,
                         const std::vector<Fact>& b);

  /// Whether inputs are of its shapes, apart from dims that grow.
  bool is_for(std::span<const Tensor> inputs) const;
  /// Whether, besides, the graph could be divided, and what was found to be common to both runs holds for these inputs.
  bool accepts(std::span<const Tensor> inputs);

  const std::shared_ptr<Program>& sizes() const { return sizes_; }
  const std::shared_ptr<Program>& steps() const { return steps_; }
  /// Whether anything depends on lengths.
  bool has_sizes() const { return !sizes_->graph().outputs().empty(); }
  int64_t new_rows() const { return new_rows_; }

  /// What an input of `steps` is.
  struct Source {
    enum class Kind { kInput, kRows, kSize } kind;
    size_t index = 0;          ///< of the program's inputs, or of the outputs of `sizes`
    bool has_columns = false;  ///< its last dim is the capacity
  };
  const std::vector<Source>& sources() const { return sources_; }

 private:
  void divide(const Graph& open, const std::vector<GrowingState>& states,
              const std::shared_ptr<const ModelResources>& resources);
  void find_sources(const GrowingGraphs& graphs, const Graph& open);

  std::vector<Fact> facts_;  // of the inputs, dims that grow open
  std::shared_ptr<const ModelResources> resources_;
  std::mutex mutex_;
  std::optional<AssumedDims> assumed_;
  std::shared_ptr<Program> sizes_, steps_;  // nullptr: the graph cannot be divided
  std::vector<Source> sources_;
  int64_t new_rows_ = 0;
};

}  // namespace linnet
