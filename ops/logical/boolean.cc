#include "elements/truth.h"
#include "elementwise/aligns_operands.h"
#include "elementwise/elementwise.h"
#include "graph/reads_any_bool.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "registration.h"

namespace linnet {
namespace {

Dim both(const Dim& a, const Dim& b) {
  return truth(certainly_equal(a, 1) && certainly_equal(b, 1), certainly_equal(a, 0) || certainly_equal(b, 0));
}
Dim any(const Dim& a, const Dim& b) { return 1 - both(1 - a, 1 - b); }
Dim one_of(const Dim& a, const Dim& b) { return 1 - equals(a, b); }

/// And, Or, Xor: the logical connectives, element by element with broadcasting. Before opset 7, the attributes
/// broadcast and axis specify broadcasting.
/// a, b, y: bool.
/// Source: https://onnx.ai/onnx/operators/onnx__And.html
class Connective final : public Op, public AlignsOperands, public ReadsAnyBool {
 public:
  using OfDims = Dim (*)(const Dim& a, const Dim& b);

  Connective(const NodeSpec& node, NumberFunction NumberKernels::*function, OfDims of_dims)
      : broadcast_(node), function_(function), of_dims_(of_dims) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype(in[0], DType::kBool, "A");
    return broadcast_.infer(in);
  }

  std::optional<Dims> aligned_second(std::span<const Fact> in) const override { return broadcast_.aligned_second(in); }

  bool reads_any_bool(int) const override { return true; }
  bool is_elementwise() const override { return broadcast_.by_numpy(); }
  Dim element(std::span<const Dim> inputs) const override { return of_dims_(inputs[0], inputs[1]); }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, broadcast_.sources(in), number_loop(kernels_for<NumberKernels>(in.isa()).*function_, in));
  }

 private:
  BinaryBroadcast broadcast_;
  NumberFunction NumberKernels::*function_;
  OfDims of_dims_;
};

/// Not: y = !x, element by element.
/// x, y: bool, any shape.
/// Source: https://onnx.ai/onnx/operators/onnx__Not.html
class Not final : public Op, public ReadsAnyBool {
 public:
  explicit Not(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kBool, "X");
    return same_as(in[0]);
  }

  bool reads_any_bool(int) const override { return true; }
  bool is_elementwise() const override { return true; }
  Dim element(std::span<const Dim> inputs) const override { return 1 - inputs[0]; }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, number_loop(kernels_for<NumberKernels>(in.isa()).not_bool, in));
  }
};

}  // namespace

LINNET_REGISTER(boolean)(Registry& registry) {
  const auto add = [&](const char* name, NumberFunction NumberKernels::*function, Connective::OfDims of_dims) {
    registry.add(name, {.since = 1}, [function, of_dims](const NodeSpec& node) {
      return std::make_unique<Connective>(node, function, of_dims);
    });
  };
  add("And", &NumberKernels::and_bools, both);
  add("Or", &NumberKernels::or_bools, any);
  add("Xor", &NumberKernels::xor_bools, one_of);
  registry.add<Not>("Not");
}

}  // namespace linnet
