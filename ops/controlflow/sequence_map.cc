#include "controlflow/body.h"
#include "infer/infer.h"
#include "linnet/containers.h"
#include "registration.h"
#include "run/runner.h"
#include "tensor/counted_memory.h"

namespace linnet {
namespace {

struct SequenceMapState final : KernelState {
  SequenceMapState(const std::shared_ptr<Program>& body, size_t count) : runner(body), inputs(count) {}

  Runner runner;
  std::vector<Tensor> inputs;
};

class SequenceMapKernel final : public Kernel {
 public:
  SequenceMapKernel(std::shared_ptr<Program> body, int own_inputs, int inputs, int outputs)
      : body_(std::move(body)), own_inputs_(own_inputs), inputs_(inputs), outputs_(outputs) {}

  void run(KernelContext& context) const override {
    auto& state = static_cast<SequenceMapState&>(*context.state());
    const size_t count = context.input(0).data<Sequence>()->elements.size();
    for (int i = 0; i < outputs_; ++i) context.output(i).data<Sequence>()->elements.clear();
    CountedMemory counted;  // until the engine counts the elements
    for (size_t at = 0; at < count; ++at) {
      context.check();
      for (int i = 0; i < own_inputs_; ++i) state.inputs[size_t(i)] = sample(context.input(i), at, count);
      for (int i = own_inputs_; i < inputs_; ++i) state.inputs[size_t(i)] = context.input(i);
      const std::span<const Tensor> outputs = state.runner.run(state.inputs, run_environment(context));
      for (int i = 0; i < outputs_; ++i) {
        counted.add(sizeof(Tensor));
        context.output(i).data<Sequence>()->elements.push_back(outputs[size_t(i)].clone());
      }
    }
  }

  std::unique_ptr<KernelState> make_state() const override {
    return std::make_unique<SequenceMapState>(body_, size_t(inputs_));
  }
  size_t bytes() const override { return body_->bytes(); }

 private:
  static const Tensor& sample(const Tensor& input, size_t at, size_t count) {
    if (input.dtype() != DType::kSequence) return input;
    const std::vector<Tensor>& elements = input.data<Sequence>()->elements;
    if (elements.size() != count) {
      throw Error(ErrorKind::kShape, str("sequences have ", count, " and ", elements.size(), " elements"));
    }
    return elements[at];
  }

  std::shared_ptr<Program> body_;
  int own_inputs_, inputs_, outputs_;  // captured values are the last inputs
};

/// SequenceMap: applies its body to the elements of one or more sequences of equal length. Inputs that are tensors, and
/// captured values, are the same for every element. Every output is a sequence.
/// Source: https://onnx.ai/onnx/operators/onnx__SequenceMap.html
class SequenceMap final : public Op {
 public:
  explicit SequenceMap(const NodeSpec& node)
      : body_(node.attr<GraphPtr>("body")), own_inputs_(node.num_inputs - node.captures), outputs_(node.num_outputs) {
    require_body(*body_, size_t(node.num_inputs), size_t(node.num_outputs), "body");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, int(in.size()));
    if (in[0].dtype != DType::kSequence) {
      throw Error(ErrorKind::kType, str("input_sequence must be a sequence, got ", in[0]));
    }
    std::vector<Fact> samples;
    for (size_t i = 0; i < in.size(); ++i) {
      const bool mapped = int(i) < own_inputs_ && in[i].dtype == DType::kSequence;
      samples.push_back(mapped ? *in[i].element : in[i]);
    }
    std::vector<Fact> out;
    for (const Fact& fact : body_facts(*body_, samples)) out.push_back(Fact::sequence(fact));
    return out;
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<SequenceMapKernel>(body_program(body_, in), own_inputs_, in.num_inputs(), outputs_);
  }
  bool accepts_containers() const override { return true; }

 private:
  GraphPtr body_;
  int own_inputs_, outputs_;
};

}  // namespace

LINNET_REGISTER(sequence_map)(Registry& r) { r.add<SequenceMap>("SequenceMap", {.since = 17}); }

}  // namespace linnet
