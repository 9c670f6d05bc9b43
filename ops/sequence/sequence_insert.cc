#include "registration.h"
#include "sequence/sequence.h"

namespace linnet {
namespace {

class SequenceInsertKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    const Sequence& x = input_sequence(context, 0);
    Sequence& y = output_sequence(context, 0);
    const size_t n = x.elements.size();
    // The end is a valid position too.
    const size_t at = context.input(2) ? insert_position(context.input(2), n) : n;
    y.elements = x.elements;
    y.elements.insert(y.elements.begin() + std::ptrdiff_t(at), context.input(1).clone());
  }

 private:
  static size_t insert_position(const Tensor& position, size_t n) {
    const std::vector<int64_t> values = tensor_ints(position);
    return values.size() == 1 && values[0] == int64_t(n) ? n : sequence_position(position, n);
  }
};

/// SequenceInsert: the sequence with a tensor inserted before `position`, or at the end if it is omitted.
/// tensor: of the dtype of the sequence's elements.
/// position: int32 or int64, one element in [-n, n].
/// Source: https://onnx.ai/onnx/operators/onnx__SequenceInsert.html
class SequenceInsert final : public Op {
 public:
  explicit SequenceInsert(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 3);
    if (has_input(in, 2)) require_position(in, 2);
    const Fact& element = sequence_element(in, 0);
    require_same_dtype(element, in[1], "elements and tensor");
    return {Fact::sequence(generalize(element, in[1]))};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<SequenceInsertKernel>(); }
  bool accepts_containers() const override { return true; }
};

}  // namespace

LINNET_REGISTER(sequence_insert)(Registry& r) { r.add<SequenceInsert>("SequenceInsert", {.since = 11}); }

}  // namespace linnet
