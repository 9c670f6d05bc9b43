#include <algorithm>

#include "infer/prefix_rules.h"
#include "movement/axes.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// Squeeze: removes the given axes, which all have dim 1. An axis that is given twice is removed once. Without axes,
/// removes every dim of 1. For rank 0, axis 0 or -1 changes nothing, as in PyTorch.
/// data, squeezed: any dtype.
/// axes: an attribute; an int64 input from opset 13 on.
/// Source: https://onnx.ai/onnx/operators/onnx__Squeeze.html
class Squeeze final : public Op {
 public:
  explicit Squeeze(const NodeSpec& node) : axes_(node, "axes", 1, 13) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 2);
    const Fact& x = in[0];
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt)};
    const auto axes = axes_.numbers(in);
    if (axes) return {Fact(x.dtype, without(*x.dims, *axes))};
    if (axes_.given(in)) return {Fact(x.dtype, unknown_dims(x, in))};
    return {Fact(x.dtype, without_ones(*x.dims))};
  }

  bool moves(int input) const override { return input == 0; }
  bool prefix(Prefix& prefix) const override { return carry_in_order(prefix); }
  KernelPtr compile(const CompileInput&) const override { return make_view(); }
  std::vector<int> value_inputs() const override { return axes_.value_inputs(); }

 private:
  static Dims without(const Dims& dims, const std::vector<int64_t>& axes) {
    std::vector<bool> squeezed(std::max<size_t>(1, dims.size()));
    for (const int64_t axis : axes) squeezed[size_t(normalize_axis(axis, int(squeezed.size())))] = true;
    Dims result;
    for (int i = 0; i < int(dims.size()); ++i) {
      const Dim& dim = dims[size_t(i)];
      if (!squeezed[size_t(i)]) {
        result.push_back(dim);
      } else if (dim.known() && dim.value() != 1) {
        throw Error(ErrorKind::kShape, str("axis ", i, " must have dim 1 to be squeezed, got ", dim));
      } else {
        learn_equal(dim, 1);
      }
    }
    return result;
  }

  static std::optional<Dims> without_ones(const Dims& dims) {
    Dims result;
    for (const Dim& dim : dims) {
      if (dim.known() && dim.value() == 1) continue;
      if (!certainly_different(dim, 1)) return std::nullopt;
      result.push_back(dim);
    }
    return result;
  }

  std::optional<Dims> unknown_dims(const Fact& x, std::span<const Fact> in) const {
    const auto count = axes_.count(in);
    if (!count || *count > 1) return std::nullopt;  // Several axes may include duplicates.
    return Dims(size_t(std::max<int64_t>(0, x.rank() - *count)));
  }

  IntsParameter axes_;
};

}  // namespace

LINNET_REGISTER(squeeze)(Registry& registry) { registry.add<Squeeze>("Squeeze", {.since = 1}); }

}  // namespace linnet
