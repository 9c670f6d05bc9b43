#include "client_op.h"

#include "dtypes.h"
#include "shape_inference.h"
#include "status.h"

namespace linnet::ort {
namespace {

class CompiledKernel final : public Kernel {
 public:
  CompiledKernel(std::shared_ptr<const ClientKernel> kernel, KernelInfo info)
      : kernel_(std::move(kernel)), info_(std::move(info)) {}

  void run(linnet::KernelContext& context) const override { kernel_->run(context, info_); }
  std::string describe() const override { return "an operator of the application"; }

 private:
  std::shared_ptr<const ClientKernel> kernel_;
  KernelInfo info_;
};

/// What an output that may be of any type is of: the first input that may, too.
DType undeclared_dtype(const ClientFunctions& functions, std::span<const Fact> in) {
  for (size_t i = 0; i < in.size(); ++i) {
    const bool is_open =
        functions->get_input_type(functions.get(), functions.input_declaration(i)) == kUndefinedElement;
    if (is_open && in[i].present()) return in[i].dtype;
  }
  throw Error(ErrorKind::kType, "no input says what type the output is of");
}

}  // namespace

const ClientFunctions& ClientOp::choose(std::span<const Fact> in) const {
  for (size_t i = 0; i + 1 < ops_->candidates.size(); ++i) {
    try {
      ops_->candidates[i].check_inputs(in);
      return ops_->candidates[i];
    } catch (const Error&) {  // another one of that name may take them
    }
  }
  ops_->candidates.back().check_inputs(in);
  return ops_->candidates.back();
}

std::vector<Fact> ClientOp::infer(const ClientFunctions& functions, std::span<const Fact> in) const {
  std::vector<Fact> out;
  for (int i = 0; i < node_.num_outputs; ++i) {
    const ElementType type = functions->get_output_type(functions.get(), functions.output_declaration(size_t(i)));
    Fact& fact = out.emplace_back();
    fact.dtype = type == kUndefinedElement ? undeclared_dtype(functions, in) : dtype_of(type);
  }
  if (!functions.infers()) return out;
  ShapeInferContext context(node_, in, std::move(out));
  throw_client_status(functions->infer_output_shape(functions.get(), &context), "");
  return std::move(context.outputs);
}

KernelInfo ClientOp::kernel_info(std::vector<Fact> in, std::vector<Fact> out) const {
  return {node_, std::move(in), std::move(out), ops_->entries, ops_->logger};
}

std::shared_ptr<const ClientKernel> ClientOp::kernel(std::span<const Fact> in, const std::vector<Fact>& out) const {
  const std::lock_guard lock(mutex_);
  if (!kernel_) kernel_ = std::make_shared<const ClientKernel>(choose(in), kernel_info({in.begin(), in.end()}, out));
  return kernel_;
}

std::vector<Fact> ClientOp::infer(std::span<const Fact> in) const {
  std::vector<Fact> out = infer(choose(in), in);
  kernel(in, out);
  return out;
}

KernelPtr ClientOp::compile(const CompileInput& in) const {
  std::vector<Fact> inputs, outputs;
  for (int i = 0; i < in.num_inputs(); ++i) inputs.push_back(in.fact(i));
  for (int i = 0; i < in.num_outputs(); ++i) outputs.push_back(in.output_fact(i));
  const std::shared_ptr<const ClientKernel> made = kernel(inputs, outputs);
  return std::make_unique<CompiledKernel>(made, kernel_info(std::move(inputs), std::move(outputs)));
}

}  // namespace linnet::ort
