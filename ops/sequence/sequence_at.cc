#include "registration.h"
#include "sequence/sequence.h"

namespace linnet {
namespace {

class SequenceAtKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    const Sequence& x = input_sequence(context, 0);
    context.set_output(0, x.elements[sequence_position(context.input(1), x.elements.size())]);
  }
  bool provides_outputs() const override { return true; }
};

/// SequenceAt: the element of a sequence at a position in [-n, n).
/// position: int32 or int64, one element.
/// Source: https://onnx.ai/onnx/operators/onnx__SequenceAt.html
class SequenceAt final : public Op {
 public:
  explicit SequenceAt(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_position(in, 1);
    return {sequence_element(in, 0)};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<SequenceAtKernel>(); }
  bool accepts_containers() const override { return true; }
};

}  // namespace

LINNET_REGISTER(sequence_at)(Registry& r) { r.add<SequenceAt>("SequenceAt", {.since = 11}); }

}  // namespace linnet
