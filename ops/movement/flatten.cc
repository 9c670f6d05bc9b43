#include "infer/infer.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// The product of dims [first, last) as far as it is known: a symbol passes through where all others are 1.
Dim product(const Dims& dims, int first, int last) {
  int64_t numbers = 1;
  Dim open = 1;
  for (int i = first; i < last; ++i) {
    const Dim& dim = dims[size_t(i)];
    if (dim.known()) {
      numbers = checked_mul(numbers, dim.value());
    } else {
      open = open.known() ? dim : Dim();
    }
  }
  if (open.known() || numbers == 0) return numbers;
  Dim result = 1;
  for (int i = first; i < last; ++i) result *= dims[size_t(i)];
  return result;
}

/// Flatten: a matrix whose rows run over the dims before `axis` and whose columns over the others.
/// input, output: any dtype; axis in [-r, r], negative from opset 11 on.
/// Source: https://onnx.ai/onnx/operators/onnx__Flatten.html
class Flatten final : public Op {
 public:
  explicit Flatten(const NodeSpec& node) : axis_(node.attr_or("axis", 1)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (!in[0].has_rank()) return {Fact(in[0].dtype, Dims(2))};
    const int rank = in[0].rank();
    const int axis = axis_ == rank ? rank : normalize_axis(axis_, rank);
    return {Fact(in[0].dtype, Dims{product(*in[0].dims, 0, axis), product(*in[0].dims, axis, rank)})};
  }

  bool moves(int input) const override { return input == 0; }
  KernelPtr compile(const CompileInput&) const override { return make_view(); }

 private:
  int64_t axis_;
};

}  // namespace

LINNET_REGISTER(flatten)(Registry& registry) { registry.add<Flatten>("Flatten", {.since = 1}); }

}  // namespace linnet
