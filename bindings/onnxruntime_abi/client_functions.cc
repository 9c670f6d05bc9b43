#include <climits>

#include "client_op.h"
#include "dtypes.h"
#include "kernel_context.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

Characteristic characteristic(const CustomOp& op, Characteristic (*get)(const CustomOp*, size_t), size_t i) {
  return op.version >= 8 && get ? get(&op, i) : kRequired;
}

}  // namespace

Characteristic ClientFunctions::input_characteristic(size_t i) const {
  return characteristic(op_, op_.version >= 8 ? op_.get_input_characteristic : nullptr, i);
}

Characteristic ClientFunctions::output_characteristic(size_t i) const {
  return characteristic(op_, op_.version >= 8 ? op_.get_output_characteristic : nullptr, i);
}

size_t ClientFunctions::input_declaration(size_t i) const {
  const size_t count = op_.get_input_count(&op_);
  if (i >= count && (count == 0 || input_characteristic(count - 1) != kVariadic)) {
    throw Error(ErrorKind::kModel, str("the operator has ", count, " inputs, the node more"));
  }
  return std::min(i, count - 1);
}

size_t ClientFunctions::output_declaration(size_t i) const {
  const size_t count = op_.get_output_count(&op_);
  if (i >= count && (count == 0 || output_characteristic(count - 1) != kVariadic)) {
    throw Error(ErrorKind::kModel, str("the operator has ", count, " outputs, the node more"));
  }
  return std::min(i, count - 1);
}

int ClientFunctions::start_version() const {
  return op_.version >= 17 && op_.get_start_version ? op_.get_start_version(&op_) : 1;
}

int ClientFunctions::end_version() const {
  return op_.version >= 17 && op_.get_end_version ? op_.get_end_version(&op_) : INT_MAX;
}

void* ClientFunctions::create_kernel(const KernelInfo& info) const {
  if (op_.version < 16 || !op_.create_kernel_v2) return op_.create_kernel(&op_, table(), &info);
  void* kernel = nullptr;
  throw_client_status(op_.create_kernel_v2(&op_, table(), &info, &kernel), "Exception during initialization: ");
  return kernel;
}

Status* ClientFunctions::compute(void* kernel, KernelContext* context) const {
  if (op_.version >= 16 && op_.compute_v2) return op_.compute_v2(kernel, context);
  op_.compute(kernel, context);
  return nullptr;
}

void ClientFunctions::check_inputs(std::span<const Fact> in) const {
  for (size_t i = 0; i < in.size(); ++i) {
    const ElementType declared = op_.get_input_type(&op_, input_declaration(i));
    if (!in[i].present() || declared == kUndefinedElement || declared == element_type(in[i].dtype)) continue;
    throw Error(ErrorKind::kType,
                str("input ", i, " is of ", in[i].dtype, ", the operator takes ", dtype_of(declared)));
  }
  for (size_t i = 0; i < op_.get_input_count(&op_); ++i) {
    const bool is_given = i < in.size() && in[i].present();
    if (!is_given && input_characteristic(i) == kRequired)
      throw Error(ErrorKind::kModel, str("input ", i, " is missing"));
  }
}

void ClientKernel::run(linnet::KernelContext& engine, const KernelInfo& info) const {
  KernelContext context(engine, info);
  throw_client_status(functions_.compute(kernel_, &context),
                      str("Non-zero status code returned while running ", info.node.op_type, " node. Name:'",
                          info.node.name, "' Status Message: "));
  context.check_outputs();
}

}  // namespace linnet::ort
