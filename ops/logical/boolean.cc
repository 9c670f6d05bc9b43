#include "infer/infer.h"
#include "math/elementwise.h"
#include "op_list.h"

namespace linnet {
namespace {

/// And, Or, Xor: the logical connectives, element by element with broadcasting (before opset 7 by the attributes
/// broadcast and axis).
/// a, b, y: bool.
/// Source: https://onnx.ai/onnx/operators/onnx__And.html
template <class Function>
class Connective final : public Op {
 public:
  explicit Connective(const NodeSpec& node) : broadcast_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype(in[0], DType::kBool, "A");
    return broadcast_.infer(in);
  }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, broadcast_.sources(in), binary_loop<bool>(Function()));
  }

 private:
  BinaryBroadcast broadcast_;
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

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, unary_loop<bool>(std::logical_not<>()));
  }
};

}  // namespace

void register_boolean(Registry& registry) {
  registry.add<Connective<std::bit_and<>>>("And");
  registry.add<Connective<std::bit_or<>>>("Or");
  registry.add<Connective<std::bit_xor<>>>("Xor");
  registry.add<Not>("Not");
}

}  // namespace linnet
