#include "reduction/reduce_op.h"

namespace linnet {

ReduceOp::ReduceOp(const NodeSpec& node, int64_t axes_input_since)
    : axes_are_input_(node.opset >= axes_input_since),
      keep_dims_(node.attr_or("keepdims", true)),
      empty_axes_reduce_nothing_(axes_are_input_ && node.attr_or("noop_with_empty_axes", false)) {
  if (!axes_are_input_) attribute_axes_ = node.attr_or("axes", std::vector<int64_t>{});
}

std::vector<Fact> ReduceOp::infer(std::span<const Fact> in) const {
  require_inputs(in, 1, axes_are_input_ ? 2 : 1);
  const Fact& x = in[0];
  const auto axes = this->axes(has_input(in, 1) ? &in[1] : nullptr);
  if (!x.has_rank() || (!axes && !keep_dims_)) return {Fact(x.dtype, std::nullopt)};
  if (!axes) return {Fact(x.dtype, Dims(size_t(x.rank())))};
  const std::vector<bool> reduced = reduced_dims(*axes, x.rank());
  Dims dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (!reduced[size_t(i)]) {
      dims.push_back(x.dim(i));
    } else if (keep_dims_) {
      dims.push_back(1);
    }
  }
  return {Fact(x.dtype, dims)};
}

ReducePlan ReduceOp::plan(const CompileInput& in) const {
  const auto axes = this->axes(in.has(1) ? &in.fact(1) : nullptr);
  if (!axes) throw Error(ErrorKind::kInternal, "axes must be known");
  return make_reduce_plan(in.shape(0), reduced_dims(*axes, in.rank(0)));
}

std::optional<std::vector<int64_t>> ReduceOp::axes(const Fact* input) const {
  if (!axes_are_input_ || !input) return attribute_axes_;
  require_dtype(*input, DType::kInt64, "axes");
  require_rank(*input, 1, "axes");
  return constant_ints(*input);
}

std::vector<bool> ReduceOp::reduced_dims(const std::vector<int64_t>& axes, int rank) const {
  std::vector<bool> reduced(size_t(rank), axes.empty() && !empty_axes_reduce_nothing_);
  for (const int64_t axis : axes) {
    reduced[size_t(normalize_axis(axis, rank))] = true;
  }
  return reduced;
}

}  // namespace linnet
