#pragma once

#include <optional>

#include "infer/infer.h"
#include "linnet/op.h"
#include "reduction/reduce_plan.h"

namespace linnet {

/// The common part of the operators ReduceX: the axes, which are an attribute or in later opsets an input, and the
/// shape of the output.
/// x: numbers, any shape.
/// axes: int64 [k] in [-rank, rank). Without axes, all dims are reduced, or no dims with noop_with_empty_axes.
/// keepdims: 1 keeps the reduced dims with size 1.
class ReduceOp : public Op {
 public:
  /// axes_input_since: the first opset in which the axes are an input.
  ReduceOp(const NodeSpec& node, int64_t axes_input_since);

  std::vector<Fact> infer(std::span<const Fact> in) const override;
  std::vector<int> value_inputs() const override { return axes_are_input_ ? std::vector{1} : std::vector<int>{}; }

 protected:
  ReducePlan plan(const CompileInput& in) const;

 private:
  /// The axes as written, or nullopt if they are not known yet.
  std::optional<std::vector<int64_t>> axes(const Fact* input) const;
  std::vector<bool> reduced_dims(const std::vector<int64_t>& axes, int rank) const;

  bool axes_are_input_;
  bool keep_dims_;
  bool empty_axes_reduce_nothing_;
  std::vector<int64_t> attribute_axes_;
};

}  // namespace linnet
