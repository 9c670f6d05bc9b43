#include "linnet/containers.h"
#include "op_list.h"

namespace linnet {
namespace {

class SequenceEmptyKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override { context.output(0).data<Sequence>()->elements.clear(); }
};

/// SequenceEmpty: a sequence without elements, of tensors of the attribute dtype (float32 unless given).
/// Source: https://onnx.ai/onnx/operators/onnx__SequenceEmpty.html
class SequenceEmpty final : public Op {
 public:
  explicit SequenceEmpty(const NodeSpec& node) : dtype_(DType(node.attr_or("dtype", 1))) {
    if (dtype_bits(dtype_) == 0 || is_container(dtype_))
      throw Error(ErrorKind::kModel, str("dtype ", int(dtype_), " is none"));
  }

  std::vector<Fact> infer(std::span<const Fact>) const override { return {Fact::sequence(Fact(dtype_, std::nullopt))}; }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<SequenceEmptyKernel>(); }

 private:
  DType dtype_;
};

}  // namespace

void register_sequence_empty(Registry& r) { r.add<SequenceEmpty>("SequenceEmpty", {.since = 11}); }

}  // namespace linnet
