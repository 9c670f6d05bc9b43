#include "elementwise/elementwise.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "registration.h"

namespace linnet {
namespace {

void require_integer(const Fact& fact, const std::string& what) {
  if (!is_integer(fact.dtype)) throw Error(ErrorKind::kType, str(what, " must hold integers, got ", fact));
}

/// BitwiseAnd, BitwiseOr, BitwiseXor: the operation on the bits of a and b, element by element with broadcasting.
/// a, b, y: integers of one dtype.
/// Source: https://onnx.ai/onnx/operators/onnx__BitwiseAnd.html
template <class Function>
class Bitwise final : public Op {
 public:
  explicit Bitwise(const NodeSpec& node) : broadcast_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_integer(in[0], "A");
    return broadcast_.infer(in);
  }

  bool is_elementwise() const override { return broadcast_.by_numpy(); }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, broadcast_.sources(in),
                       dispatch_integer(in.dtype(0), []<class T>() { return binary_loop<T>(Function()); }));
  }

 private:
  BinaryBroadcast broadcast_;
};

/// BitwiseNot: all bits of x inverted.
/// x, y: integers, any shape.
/// Source: https://onnx.ai/onnx/operators/onnx__BitwiseNot.html
class BitwiseNot final : public Op {
 public:
  explicit BitwiseNot(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_integer(in[0], "X");
    return same_as(in[0]);
  }

  bool is_elementwise() const override { return true; }

  KernelPtr compile(const CompileInput& in) const override {
    const WidthFunctions* kernels = kernels_for<NumberKernels>(in.isa()).width(in.dtype(0));
    if (!kernels) throw_dtype(in.dtype(0));
    return elementwise(in, number_loop(kernels->invert, in));
  }
};

}  // namespace

LINNET_REGISTER(bitwise)(Registry& registry) {
  registry.add<Bitwise<std::bit_and<>>>("BitwiseAnd", {.since = 18});
  registry.add<Bitwise<std::bit_or<>>>("BitwiseOr", {.since = 18});
  registry.add<Bitwise<std::bit_xor<>>>("BitwiseXor", {.since = 18});
  registry.add<BitwiseNot>("BitwiseNot", {.since = 18});
}

}  // namespace linnet
