#include "infer/infer.h"
#include "linnet/containers.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

class OptionalGetElementKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    const Tensor& value = context.input(0).data<Optional>()->value;
    if (!value) throw Error(ErrorKind::kType, "the optional holds nothing");
    context.set_output(0, value);
  }
  bool provides_outputs() const override { return true; }
};

/// OptionalGetElement: the value that an optional contains. Tensors and sequences are returned unchanged.
/// Source: https://onnx.ai/onnx/operators/onnx__OptionalGetElement.html
class OptionalGetElement final : public Op {
 public:
  explicit OptionalGetElement(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    return in[0].dtype == DType::kOptional ? std::vector<Fact>{*in[0].element} : same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    if (in.dtype(0) == DType::kOptional) return std::make_unique<OptionalGetElementKernel>();
    return make_view();
  }
  bool accepts_containers() const override { return true; }
};

}  // namespace

LINNET_REGISTER(optional_get_element)(Registry& r) { r.add<OptionalGetElement>("OptionalGetElement", {.since = 15}); }

}  // namespace linnet
