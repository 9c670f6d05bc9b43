#include "infer/prefix_rules.h"
#include "movement/axes.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// Unsqueeze: inserts dims of 1 at the given axes of the output.
/// data, expanded: any dtype.
/// axes: an attribute; an int64 input from opset 13 on. They may be in any order.
/// Source: https://onnx.ai/onnx/operators/onnx__Unsqueeze.html
class Unsqueeze final : public Op {
 public:
  explicit Unsqueeze(const NodeSpec& node) : axes_(node, "axes", 1, 13) {
    if (node.opset < 13) node.attr<std::vector<int64_t>>("axes");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, axes_.is_input() ? 2 : 1, 2);
    const Fact& x = in[0];
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt)};
    const auto axes = axes_.numbers(in);
    if (axes) return {Fact(x.dtype, with_ones(*x.dims, *axes))};
    const auto count = axes_.count(in);
    if (!count) return {Fact(x.dtype, std::nullopt)};
    return {Fact(x.dtype, Dims(x.dims->size() + size_t(*count)))};
  }

  bool moves(int input) const override { return input == 0; }
  bool prefix(Prefix& prefix) const override { return carry_in_order(prefix); }
  KernelPtr compile(const CompileInput&) const override { return make_view(); }
  std::vector<int> value_inputs() const override { return axes_.value_inputs(); }

 private:
  static Dims with_ones(const Dims& dims, std::span<const int64_t> axes) {
    Dims result(dims.size() + axes.size());
    for (const int axis : normalize_axes(axes, int(result.size()))) result[size_t(axis)] = 1;
    auto next = dims.begin();
    for (Dim& dim : result) {
      if (!dim.known()) dim = *next++;
    }
    return result;
  }

  IntsParameter axes_;
};

}  // namespace

LINNET_REGISTER(unsqueeze)(Registry& registry) { registry.add<Unsqueeze>("Unsqueeze", {.since = 1}); }

}  // namespace linnet
