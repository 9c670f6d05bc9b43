#include "elementwise/elementwise.h"
#include "kernels/by_number.h"
#include "kernels/kernels_for.h"
#include "kernels/remainders.h"
#include "registration.h"

namespace linnet {
namespace {

/// Mod: the remainder of a / b with the quotient rounded down (fmod = 0: the sign is b's) or towards zero (fmod = 1:
/// the sign is a's), element-wise with broadcasting. Integers modulo 0 give 0.
/// - a, b, y: numbers of one dtype; fmod = 0 supports floating-point numbers since opset 28
/// Source: https://onnx.ai/onnx/operators/onnx__Mod.html
class Mod final : public Op {
 public:
  explicit Mod(const NodeSpec& node)
      : broadcast_(node), truncated_(node.attr_or("fmod", false)), floors_floats_(node.opset >= 28) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    std::vector<Fact> out = broadcast_.infer(in);
    if (is_floating(in[0].dtype) && !truncated_ && !floors_floats_) {
      throw Error(ErrorKind::kType, str("inputs must be integers unless fmod is 1, got ", in[0]));
    }
    return out;
  }

  bool is_elementwise() const override { return broadcast_.by_numpy(); }

  Dim element(std::span<const Dim> inputs) const override {
    const Dim &a = inputs[0], &b = inputs[1];
    if (!truncated_ || certainly_at_least(a, 0)) return remainder(a, b);
    return certainly_at_least(0, a) ? 0 - remainder(0 - a, b) : Dim();
  }

  KernelPtr compile(const CompileInput& in) const override {
    const RemainderFunctions* of = by_number(kernels_for<RemainderKernels>(in.isa()), in.dtype(0));
    if (!of || in.dtype(0) == DType::kBool) throw_dtype(in.dtype(0));
    return elementwise(in, broadcast_.sources(in), number_loop(truncated_ ? of->truncated : of->floored, in));
  }

 private:
  BinaryBroadcast broadcast_;
  bool truncated_;
  bool floors_floats_;
};

}  // namespace

LINNET_REGISTER(mod)(Registry& registry) { registry.add<Mod>("Mod", {.since = 10}); }

}  // namespace linnet
