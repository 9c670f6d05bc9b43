#pragma once

#include <span>
#include <vector>

#include "plan/plan.h"

namespace linnet {

/// What the dims of a graph's values have in common for two sizes of its inputs, though no rule tells it while dims of
/// the inputs are open: that a dim does not change (the rows of a mask that is made from lengths), that two are equal
/// (its columns and those of the scores). A graph is optimised as if that held for all sizes, and each is checked.
class AssumedDims {
 public:
  /// Writes them to the facts of `open`, inputs included: numbers where both sizes agree, else symbols that all dims
  /// have which are equal in both. a, b: the graph with the facts of the two sizes. asked: values for fact().
  AssumedDims(Graph& open, const Graph& a, const Graph& b, const ModelResources& resources,
              std::span<const ValueId> asked = {});

  /// Takes two sizes, of which the second is the next one, for hold_further(). False, and all stays as it is, where
  /// dims are not known to grow linearly from them, or the sizes that the dims were assumed from are not on that line.
  bool set_line(const Graph& a, const Graph& b);
  /// Whether they are known to hold for inputs, tensors or what stands for them, without a look at the graph: those
  /// whose dims are further on the line through a and b.
  template <class Inputs>
  bool hold_further(const Inputs& inputs) const {
    int64_t index = -1;  // of the size on the line, counted from a; -1: not known yet
    for (size_t i = 0; i < std::size(inputs) && further_sizes_ > 0; ++i) {
      if (!is_further(i, shape_of(inputs[i]), index)) return false;
    }
    return further_sizes_ > 0;
  }
  /// Whether they hold for inputs of these facts.
  bool hold(const std::vector<Fact>& inputs, const ModelResources& resources);
  /// Of an input, or a value that was asked for, for the inputs that hold() was given last.
  const Fact& fact(ValueId value) const { return telling_.fact(value); }

 private:
  static const Shape& shape_of(const Shape& shape) { return shape; }
  static const Shape& shape_of(const Tensor& tensor) { return tensor.shape(); }
  static const Shape& shape_of(const PlanInput& input) { return input.shape; }
  bool is_further(size_t input, const Shape& shape, int64_t& index) const;

  void add(Graph& open, ValueId value, const Fact& a, const Fact& b);
  void keep_what_tells(const Graph& open, std::span<const ValueId> asked);

  std::vector<ValueId> values_;
  std::vector<Dims> dims_;
  Graph telling_;                      // the part of the graph that the values depend on
  int64_t further_sizes_ = 0;          // for which its dims grow linearly
  std::vector<Shape> first_, second_;  // of the inputs, for a and b
  std::vector<Shape> of_a_, of_b_;     // of the inputs that the dims were assumed from
  bool current_ = false;               // its facts are those of the inputs asked for last
};

}  // namespace linnet
