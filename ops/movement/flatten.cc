#include "infer/infer.h"
#include "infer/prefix_rules.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// Flatten: a matrix. Its rows are the dims before `axis`, its columns the other dims.
/// input, output: any dtype.
/// axis: in [-r, r]; negative from opset 11 on.
/// Source: https://onnx.ai/onnx/operators/onnx__Flatten.html
class Flatten final : public Op {
 public:
  explicit Flatten(const NodeSpec& node) : axis_(node.attr_or("axis", 1)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (!in[0].has_rank()) return {Fact(in[0].dtype, Dims(2))};
    const int rank = in[0].rank();
    const auto axis = size_t(axis_ == rank ? rank : normalize_axis(axis_, rank));
    const std::span<const Dim> dims = *in[0].dims;
    return {Fact(in[0].dtype, Dims{product_of(dims.first(axis)), product_of(dims.subspan(axis))})};
  }

  bool moves(int input) const override { return input == 0; }
  bool prefix(Prefix& prefix) const override { return carry_in_order(prefix); }
  KernelPtr compile(const CompileInput&) const override { return make_view(); }

 private:
  int64_t axis_;
};

}  // namespace

LINNET_REGISTER(flatten)(Registry& registry) { registry.add<Flatten>("Flatten", {.since = 1}); }

}  // namespace linnet
