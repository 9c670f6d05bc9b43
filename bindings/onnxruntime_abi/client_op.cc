#include "client_op.h"

#include <algorithm>

#include "dtypes.h"
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

/// Returns the dtype of an output without a declared type: that of the first input without a declared type.
DType undeclared_dtype(const ClientFunctions& functions, std::span<const Fact> in) {
  for (size_t i = 0; i < in.size(); ++i) {
    if (functions.input_type(i) == kUndefinedElement && in[i].present()) return in[i].dtype;
  }
  throw Error(ErrorKind::kType, "no input determines the type of the output");
}

/// Whether types and shapes print as the same text.
bool same_facts(std::span<const Fact> a, std::span<const Fact> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Fact& one, const Fact& other) { return str(one) == str(other); });
}

}  // namespace

const ClientFunctions& ClientOp::choose(std::span<const Fact> in) const {
  for (size_t i = 0; i + 1 < ops_->candidates.size(); ++i) {
    try {
      ops_->candidates[i].check_inputs(in);
      return ops_->candidates[i];
    } catch (const Error&) {  // another candidate of that name may accept them
    }
  }
  ops_->candidates.back().check_inputs(in);
  return ops_->candidates.back();
}

std::vector<Fact> ClientOp::output_types(const ClientFunctions& functions, std::span<const Fact> in) const {
  std::vector<Fact> out;
  for (int i = 0; i < node_.num_outputs; ++i) {
    const ElementType type = functions.output_type(size_t(i));
    out.emplace_back(type == kUndefinedElement ? undeclared_dtype(functions, in) : dtype_of(type), std::nullopt);
  }
  return out;
}

KernelInfo ClientOp::kernel_info(std::vector<Fact> in, std::vector<Fact> out) const {
  return {node_, std::move(in), std::move(out), ops_->entries, ops_->logger};
}

// Asks the client for shapes and for the kernel when the model is loaded.
const ClientOp::Made& ClientOp::made(std::span<const Fact> in) const {
  const std::lock_guard lock(mutex_);
  if (!made_) {
    const ClientFunctions& functions = choose(in);
    std::vector<Fact> inputs(in.begin(), in.end());
    std::vector<Fact> outputs = functions.infer(node_, in, output_types(functions, in));
    auto kernel = std::make_shared<const ClientKernel>(functions, kernel_info(inputs, outputs));
    made_ = Made{std::move(inputs), std::move(outputs), std::move(kernel)};
  }
  return *made_;
}

// When the model runs with other facts, the kernel determines the shapes as it requests memory.
std::vector<Fact> ClientOp::infer(std::span<const Fact> in) const {
  const Made& known = made(in);
  return same_facts(in, known.inputs) ? known.outputs : output_types(choose(in), in);
}

KernelPtr ClientOp::compile(const CompileInput& in) const {
  std::vector<Fact> inputs, outputs;
  for (int i = 0; i < in.num_inputs(); ++i) inputs.push_back(in.fact(i));
  for (int i = 0; i < in.num_outputs(); ++i) outputs.push_back(in.output_fact(i));
  const std::shared_ptr<const ClientKernel> kernel = made(inputs).kernel;
  return std::make_unique<CompiledKernel>(kernel, kernel_info(std::move(inputs), std::move(outputs)));
}

}  // namespace linnet::ort
