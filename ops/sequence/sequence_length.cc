#include "registration.h"
#include "sequence/sequence.h"

namespace linnet {
namespace {

class SequenceLengthKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    *context.output(0).data<int64_t>() = int64_t(input_sequence(context, 0).elements.size());
  }
};

/// SequenceLength: the number of elements, an int64 of shape [].
/// Source: https://onnx.ai/onnx/operators/onnx__SequenceLength.html
class SequenceLength final : public Op {
 public:
  explicit SequenceLength(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    sequence_element(in, 0);
    return {Fact(DType::kInt64, Shape{})};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<SequenceLengthKernel>(); }
  bool accepts_containers() const override { return true; }
};

}  // namespace

LINNET_REGISTER(sequence_length)(Registry& r) { r.add<SequenceLength>("SequenceLength", {.since = 11}); }

}  // namespace linnet
