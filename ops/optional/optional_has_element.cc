#include "infer/infer.h"
#include "linnet/containers.h"
#include "registration.h"

namespace linnet {
namespace {

class OptionalHasElementKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const bool is_optional = x.dtype() == DType::kOptional;
    *context.output(0).data<bool>() = is_optional ? bool(x.data<Optional>()->value) : bool(x);
  }
};

/// OptionalHasElement: true for a tensor, a sequence and an optional that contains a value; false for an empty optional
/// and an omitted input. The shape is [].
/// Source: https://onnx.ai/onnx/operators/onnx__OptionalHasElement.html
class OptionalHasElement final : public Op {
 public:
  explicit OptionalHasElement(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 0, 1);
    return {Fact(DType::kBool, Shape{})};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<OptionalHasElementKernel>(); }
  bool accepts_containers() const override { return true; }
};

}  // namespace

LINNET_REGISTER(optional_has_element)(Registry& r) { r.add<OptionalHasElement>("OptionalHasElement", {.since = 15}); }

}  // namespace linnet
