#include "callback_op.h"

#include "computation.h"
#include "inference.h"
#include "tensor/bool_bytes.h"

namespace linnet::c_api {
namespace {

class CallbackKernel final : public Kernel {
 public:
  CallbackKernel(std::shared_ptr<const Callbacks> callbacks, std::shared_ptr<const linnet_node> node,
                 std::vector<OutputMemory> outputs)
      : callbacks_(std::move(callbacks)), node_(std::move(node)), outputs_(std::move(outputs)) {}

  void run(KernelContext& context) const override {
    const Callbacks& callbacks = *callbacks_;
    linnet_computation computation(context, callbacks->max_inputs, outputs_);
    call_back([&] { return callbacks->compute(callbacks->user_data, node_.get(), &computation); });
    computation.check_allocated();
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i] != OutputMemory::kNone) normalize_bools(context.output(int(i)));
    }
  }

 private:
  std::shared_ptr<const Callbacks> callbacks_;
  std::shared_ptr<const linnet_node> node_;
  std::vector<OutputMemory> outputs_;
};

}  // namespace

void CallbackOp::check_inputs(std::span<const Fact> in) const {
  const Callbacks& callbacks = *callbacks_;
  if (in.size() > callbacks->max_inputs) {
    throw Error(ErrorKind::kModel, str("the node has ", in.size(), " inputs, the operator ", callbacks->max_inputs));
  }
  for (size_t i = 0; i < callbacks->min_inputs; ++i) {
    if (i >= in.size() || !in[i].present()) throw Error(ErrorKind::kModel, str("input ", i, " is missing"));
  }
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].dtype != DType::kString) continue;
    throw Error(ErrorKind::kUnsupported, str("input ", i, " holds strings, which operators in C do not take"));
  }
}

std::vector<Fact> CallbackOp::infer(std::span<const Fact> in) const {
  check_inputs(in);
  const Callbacks& callbacks = *callbacks_;
  linnet_inference inference(in, callbacks->max_inputs, callbacks->output_count);
  call_back([&] { return callbacks->infer(callbacks->user_data, node_.get(), &inference); });
  return inference.take_outputs();
}

KernelPtr CallbackOp::compile(const CompileInput& in) const {
  const Callbacks& callbacks = *callbacks_;
  std::vector<OutputMemory> outputs(callbacks->output_count, OutputMemory::kNone);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!in.has_output(int(i))) continue;
    outputs[i] = in.output_fact(int(i)).concrete() ? OutputMemory::kPlanned : OutputMemory::kAllocated;
  }
  return std::make_unique<CallbackKernel>(callbacks_, node_, std::move(outputs));
}

}  // namespace linnet::c_api
