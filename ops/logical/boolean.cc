#include "elementwise/aligns_operands.h"
#include "elementwise/elementwise.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "registration.h"

namespace linnet {
namespace {

/// And, Or, Xor: the logical connectives, element by element with broadcasting (before opset 7 by the attributes
/// broadcast and axis).
/// a, b, y: bool.
/// Source: https://onnx.ai/onnx/operators/onnx__And.html
class Connective final : public Op, public AlignsOperands {
 public:
  Connective(const NodeSpec& node, NumberFunction NumberKernels::*function) : broadcast_(node), function_(function) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype(in[0], DType::kBool, "A");
    return broadcast_.infer(in);
  }

  std::optional<Dims> aligned_second(std::span<const Fact> in) const override { return broadcast_.aligned_second(in); }

  bool is_elementwise() const override { return broadcast_.by_numpy(); }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, broadcast_.sources(in), number_loop(kernels_for<NumberKernels>(in.isa()).*function_, in));
  }

 private:
  BinaryBroadcast broadcast_;
  NumberFunction NumberKernels::*function_;
};

/// Not: y = !x, element by element.
/// x, y: bool, any shape.
/// Source: https://onnx.ai/onnx/operators/onnx__Not.html
class Not final : public Op {
 public:
  explicit Not(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kBool, "X");
    return same_as(in[0]);
  }

  bool is_elementwise() const override { return true; }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, number_loop(kernels_for<NumberKernels>(in.isa()).not_bool, in));
  }
};

}  // namespace

LINNET_REGISTER(boolean)(Registry& registry) {
  const auto add = [&](const char* name, NumberFunction NumberKernels::*function) {
    registry.add(name, {.since = 1},
                 [function](const NodeSpec& node) { return std::make_unique<Connective>(node, function); });
  };
  add("And", &NumberKernels::and_bytes);
  add("Or", &NumberKernels::or_bytes);
  add("Xor", &NumberKernels::xor_bytes);
  registry.add<Not>("Not");
}

}  // namespace linnet
