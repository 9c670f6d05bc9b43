#include "infer/dtype_attribute.h"
#include "linnet/containers.h"
#include "registration.h"

namespace linnet {
namespace {

class SequenceEmptyKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override { context.output(0).data<Sequence>()->elements.clear(); }
};

/// SequenceEmpty: an empty sequence of tensors of the attribute dtype (float32 if absent).
/// Source: https://onnx.ai/onnx/operators/onnx__SequenceEmpty.html
class SequenceEmpty final : public Op {
 public:
  explicit SequenceEmpty(const NodeSpec& node) : dtype_(dtype_attribute(node, "dtype", DType::kFloat32)) {
    if (dtype_ == DType::kUndefined) throw Error(ErrorKind::kModel, "dtype must be the number of an element type");
  }

  std::vector<Fact> infer(std::span<const Fact>) const override { return {Fact::sequence(Fact(dtype_, std::nullopt))}; }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<SequenceEmptyKernel>(); }

 private:
  DType dtype_;
};

}  // namespace

LINNET_REGISTER(sequence_empty)(Registry& r) { r.add<SequenceEmpty>("SequenceEmpty", {.since = 11}); }

}  // namespace linnet
