#include <algorithm>
#include <climits>

#include "client_op.h"
#include "dtypes.h"
#include "kernel_context.h"
#include "shape_inference.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

/// Throws Failure for an unknown element type.
void check_type(ElementType type) {
  if (type != kUndefinedElement) dtype_of(type);
}

/// Calls a function of the client. Converts an exception, which it should not throw, to a status.
template <class F>
Status* calling(F&& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return make_status(kRuntimeException, error.what());
  }
}

}  // namespace

ClientFunctions::ClientFunctions(const CustomOp& op) : op_(&op), name_(op.get_name(op_)) {
  const char* provider = op.get_execution_provider(op_);
  if (provider) provider_ = provider;
  for (size_t i = 0, count = op.get_input_count(op_); i < count; ++i) {
    inputs_.push_back({op.get_input_type(op_, i), op.version >= 8 ? op.get_input_characteristic(op_, i) : kRequired});
  }
  for (size_t i = 0, count = op.get_output_count(op_); i < count; ++i) {
    outputs_.push_back(
        {op.get_output_type(op_, i), op.version >= 8 ? op.get_output_characteristic(op_, i) : kRequired});
  }
  check_declarations();
  start_version_ = op.version >= 17 && op.get_start_version ? op.get_start_version(op_) : 1;
  end_version_ = op.version >= 17 && op.get_end_version ? op.get_end_version(op_) : INT_MAX;
  if (op.version < 14 || inputs_.empty() || inputs_.back().characteristic != kVariadic) return;
  least_variadic_ = size_t(std::max(op.get_variadic_input_min_arity(op_), 0));
  alike_variadic_ = op.get_variadic_input_homogeneity(op_) != 0;
}

void ClientFunctions::check_declarations() const {
  bool is_dynamic = false;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    check_type(inputs_[i].type);
    is_dynamic |= inputs_[i].type == kUndefinedElement;
    if (inputs_[i].characteristic == kVariadic && i + 1 < inputs_.size()) {
      throw Failure(kFail, str("Only the last input to custom op '", name_, "' may be marked variadic."));
    }
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    check_type(outputs_[i].type);
    if (outputs_[i].characteristic == kVariadic && i + 1 < outputs_.size()) {
      throw Failure(kFail, str("Only the last output to custom op '", name_, "' may be marked variadic."));
    }
    if (outputs_[i].type == kUndefinedElement && !is_dynamic && !(op_->version >= 17 && op_->infer_output_shape)) {
      throw Failure(kFail, str("custom op '", name_, "' has an output of dynamic type, but no such input"));
    }
  }
}

const ClientFunctions::Value& ClientFunctions::declaration(const std::vector<Value>& values, size_t i,
                                                           const char* side) {
  if (i < values.size()) return values[i];
  if (!values.empty() && values.back().characteristic == kVariadic) return values.back();
  throw Error(ErrorKind::kModel, str("the operator has ", values.size(), " ", side, ", the node more"));
}

void* ClientFunctions::create_kernel(const KernelInfo& info) const {
  void* kernel = nullptr;
  Status* status = calling([&]() -> Status* {
    if (op_->version >= 16 && op_->create_kernel_v2) return op_->create_kernel_v2(op_, table(), &info, &kernel);
    kernel = op_->create_kernel(op_, table(), &info);
    return nullptr;
  });
  if (status) status->code = kRuntimeException;
  throw_client_status(status, "Exception during initialization: ");
  return kernel;
}

Status* ClientFunctions::compute(void* kernel, KernelContext* context) const {
  return calling([&]() -> Status* {
    if (op_->version >= 16 && op_->compute_v2) return op_->compute_v2(kernel, context);
    op_->compute(kernel, context);
    return nullptr;
  });
}

void ClientFunctions::check_variadic(std::span<const Fact> in) const {
  if (inputs_.empty() || inputs_.back().characteristic != kVariadic) return;
  const std::span rest = in.subspan(std::min(in.size(), inputs_.size() - 1));
  if (rest.size() < least_variadic_) {
    throw Error(ErrorKind::kModel,
                str("the last input takes ", least_variadic_, " values or more, the node has ", rest.size()));
  }
  const auto differs = [&](const Fact& fact) { return fact.dtype != rest.front().dtype; };
  if (alike_variadic_ && std::any_of(rest.begin(), rest.end(), differs)) {
    throw Error(ErrorKind::kType, "the values of the last input are of different types");
  }
}

void ClientFunctions::check_inputs(std::span<const Fact> in) const {
  for (size_t i = 0; i < in.size(); ++i) {
    const ElementType declared = input_type(i);
    if (!in[i].present() || declared == kUndefinedElement || declared == element_type(in[i].dtype)) continue;
    throw Error(ErrorKind::kType,
                str("input ", i, " is of ", in[i].dtype, ", the operator takes ", dtype_of(declared)));
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const bool is_given = i < in.size() && in[i].present();
    if (!is_given && inputs_[i].characteristic == kRequired) {
      throw Error(ErrorKind::kModel, str("input ", i, " is missing"));
    }
  }
  check_variadic(in);
}

std::vector<Fact> ClientFunctions::infer(const NodeSpec& node, std::span<const Fact> in, std::vector<Fact> out) const {
  if (op_->version < 17 || !op_->infer_output_shape) return out;
  ShapeInferContext context(node, in, out);
  if (Status* status = op_->infer_output_shape(op_, &context)) {
    ReleaseStatus(status);
    return out;
  }
  return std::move(context.outputs);
}

void ClientKernel::run(linnet::KernelContext& engine, const KernelInfo& info) const {
  KernelContext context(engine, info);
  throw_client_status(functions_.compute(kernel_, &context),
                      str("Non-zero status code returned while running ", info.node.op_type, " node. Name:'",
                          info.node.name, "' Status Message: "));
  context.check_outputs();
}

}  // namespace linnet::ort
