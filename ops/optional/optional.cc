#include "infer/infer.h"
#include "linnet/containers.h"
#include "registration.h"

namespace linnet {
namespace {

class OptionalKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    context.output(0).data<Optional>()->value = x ? x.clone() : Tensor();
  }
};

/// Optional: an optional that contains its input, a tensor or sequence. Without an input, an empty optional of the
/// attribute `type`.
/// Source: https://onnx.ai/onnx/operators/onnx__Optional.html
class OptionalOp final : public Op {
 public:
  explicit OptionalOp(const NodeSpec& node) {
    if (const Fact* type = node.find<Fact>("type")) type_ = *type;
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 0, 1);
    if (has_input(in, 0)) return {Fact::optional(in[0])};
    if (!type_.present()) throw Error(ErrorKind::kModel, "has neither an input nor the attribute type");
    return {Fact::optional(type_)};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<OptionalKernel>(); }
  bool accepts_containers() const override { return true; }

 private:
  Fact type_;
};

}  // namespace

LINNET_REGISTER(optional)(Registry& r) { r.add<OptionalOp>("Optional", {.since = 15}); }

}  // namespace linnet
