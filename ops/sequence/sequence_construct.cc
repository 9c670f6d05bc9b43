#include "registration.h"
#include "sequence/sequence.h"

namespace linnet {
namespace {

class SequenceConstructKernel final : public Kernel {
 public:
  explicit SequenceConstructKernel(int inputs) : inputs_(inputs) {}

  void run(KernelContext& context) const override {
    Sequence& y = output_sequence(context, 0);
    y.elements.clear();
    for (int i = 0; i < inputs_; ++i) y.elements.push_back(context.input(i).clone());
  }

 private:
  int inputs_;
};

/// SequenceConstruct: the sequence of its inputs, tensors of one dtype.
/// Source: https://onnx.ai/onnx/operators/onnx__SequenceConstruct.html
class SequenceConstruct final : public Op {
 public:
  explicit SequenceConstruct(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, std::max(1, int(in.size())), int(in.size()));
    Fact element = in[0];
    for (const Fact& fact : in.subspan(1)) element = generalize(element, fact);
    return {Fact::sequence(element)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<SequenceConstructKernel>(in.num_inputs());
  }
};

}  // namespace

LINNET_REGISTER(sequence_construct)(Registry& r) { r.add<SequenceConstruct>("SequenceConstruct", {.since = 11}); }

}  // namespace linnet
