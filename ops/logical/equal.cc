#include "elements/truth.h"
#include "elementwise/aligns_operands.h"
#include "elementwise/elementwise.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "registration.h"

namespace linnet {
namespace {

/// Equal: whether a == b, element by element with broadcasting. Before opset 7, the attributes broadcast and axis
/// specify broadcasting.
/// a, b: numbers, bool or strings of one dtype.
/// y: bool.
/// Source: https://onnx.ai/onnx/operators/onnx__Equal.html
class Equal final : public Op, public AlignsOperands {
 public:
  explicit Equal(const NodeSpec& node) : broadcast_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override { return broadcast_.infer(in, DType::kBool); }

  std::optional<Dims> aligned_second(std::span<const Fact> in) const override { return broadcast_.aligned_second(in); }

  bool is_elementwise() const override { return broadcast_.by_numpy(); }
  Dim element(std::span<const Dim> inputs) const override { return equals(inputs[0], inputs[1]); }

  KernelPtr compile(const CompileInput& in) const override {
    const OrderFunctions* functions = kernels_for<NumberKernels>(in.isa()).order(in.dtype(0));
    return elementwise(in, broadcast_.sources(in),
                       functions ? number_loop(functions->equal, in) : scalar_loop(in.dtype(0)));
  }

 private:
  static InnerLoop scalar_loop(DType dtype) {
    if (is_floating(dtype)) throw_dtype(dtype);
    return dispatch_width(dtype, []<class T>() { return binary_loop<T, bool>(std::equal_to<>()); });
  }

  BinaryBroadcast broadcast_;
};

}  // namespace

LINNET_REGISTER(equal)(Registry& registry) { registry.add<Equal>("Equal"); }

}  // namespace linnet
