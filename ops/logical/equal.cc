#include "elements/truth.h"
#include "elementwise/aligns_operands.h"
#include "elementwise/elementwise.h"
#include "graph/reads_any_bool.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "logical/order_loop.h"
#include "registration.h"

namespace linnet {
namespace {

/// Equal: whether a == b, element by element with broadcasting. Before opset 7, the attributes broadcast and axis
/// specify broadcasting.
/// a, b: numbers, bool or strings of one dtype.
/// y: bool.
/// Source: https://onnx.ai/onnx/operators/onnx__Equal.html
class Equal final : public Op, public AlignsOperands, public ReadsAnyBool {
 public:
  explicit Equal(const NodeSpec& node) : broadcast_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override { return broadcast_.infer(in, DType::kBool); }

  std::optional<Dims> aligned_second(std::span<const Fact> in) const override { return broadcast_.aligned_second(in); }

  bool reads_any_bool(int) const override { return true; }
  bool is_elementwise() const override { return broadcast_.by_numpy(); }
  Dim element(std::span<const Dim> inputs) const override { return equals(inputs[0], inputs[1]); }

  KernelPtr compile(const CompileInput& in) const override {
    const NumberForms* const forms = forms_of(kernels_for<NumberKernels>(in.isa()), in.dtype(0));
    return elementwise(in, broadcast_.sources(in), forms ? order_loop(*forms) : scalar_loop(in.dtype(0)));
  }

 private:
  /// Returns nullptr for dtypes without kernels.
  static const NumberForms* forms_of(const NumberKernels& kernels, DType dtype) {
    if (dtype == DType::kBool) return &kernels.equal_bools;
    const OrderFunctions* const functions = kernels.order(dtype);
    return functions ? &functions->equal : nullptr;
  }
  static InnerLoop scalar_loop(DType dtype) {
    if (is_floating(dtype)) throw_dtype(dtype);
    return dispatch_width(dtype, []<class T>() { return binary_loop<T, bool>(std::equal_to<>()); });
  }

  BinaryBroadcast broadcast_;
};

}  // namespace

LINNET_REGISTER(equal)(Registry& registry) { registry.add<Equal>("Equal"); }

}  // namespace linnet
