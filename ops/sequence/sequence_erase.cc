#include "registration.h"
#include "sequence/sequence.h"

namespace linnet {
namespace {

class SequenceEraseKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    const Sequence& x = input_sequence(context, 0);
    Sequence& y = output_sequence(context, 0);
    const size_t n = x.elements.size();
    if (n == 0) throw Error(ErrorKind::kShape, "the sequence is empty");
    const size_t at = context.input(1) ? sequence_position(context.input(1), n) : n - 1;
    y.elements = x.elements;
    y.elements.erase(y.elements.begin() + std::ptrdiff_t(at));
  }
};

/// SequenceErase: the sequence without the element at `position`, or without the last one if it is omitted.
/// position: int32 or int64, one element in [-n, n).
/// Source: https://onnx.ai/onnx/operators/onnx__SequenceErase.html
class SequenceErase final : public Op {
 public:
  explicit SequenceErase(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 2);
    if (has_input(in, 1)) require_position(in, 1);
    return {Fact::sequence(sequence_element(in, 0))};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<SequenceEraseKernel>(); }
  bool accepts_containers() const override { return true; }
};

}  // namespace

LINNET_REGISTER(sequence_erase)(Registry& r) { r.add<SequenceErase>("SequenceErase", {.since = 11}); }

}  // namespace linnet
