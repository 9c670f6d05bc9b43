#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "abi.h"
#include "kernel_info.h"
#include "linnet/op.h"

namespace linnet::ort {

/// The functions of an operator that a client defines, as far as its version has them.
class ClientFunctions {
 public:
  explicit ClientFunctions(const CustomOp& op) : op_(op) {}

  const CustomOp* operator->() const { return &op_; }
  const CustomOp* get() const { return &op_; }

  Characteristic input_characteristic(size_t i) const;
  Characteristic output_characteristic(size_t i) const;
  /// What declares input or output `i` of a node: the last one where that is variadic.
  size_t input_declaration(size_t i) const;
  size_t output_declaration(size_t i) const;
  int start_version() const;
  int end_version() const;
  bool infers() const { return op_.version >= 17 && op_.infer_output_shape; }

  void* create_kernel(const KernelInfo& info) const;
  Status* compute(void* kernel, KernelContext* context) const;

  /// Throws Error(kModel, kType) unless a node with these inputs may be of the operator.
  void check_inputs(std::span<const Fact> in) const;

 private:
  const CustomOp& op_;
};

/// Of one node: made when the types of its inputs are first known.
class ClientKernel {
 public:
  ClientKernel(const ClientFunctions& functions, KernelInfo info)
      : functions_(functions), info_(std::move(info)), kernel_(functions_.create_kernel(info_)) {}
  ~ClientKernel() { functions_->destroy_kernel(kernel_); }
  ClientKernel(const ClientKernel&) = delete;

  /// Runs on values of these facts.
  void run(linnet::KernelContext& context, const KernelInfo& info) const;
  const KernelInfo& info() const { return info_; }

 private:
  const ClientFunctions functions_;
  const KernelInfo info_;
  void* const kernel_;
};

/// What all nodes of a type share: the operators of that name, which differ in the types that they take.
struct ClientOps {
  std::vector<ClientFunctions> candidates;
  ConfigEntries entries;
  std::shared_ptr<const Logger> logger;
};

class ClientOp final : public linnet::Op {
 public:
  ClientOp(std::shared_ptr<const ClientOps> ops, const NodeSpec& node) : ops_(std::move(ops)), node_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override;
  KernelPtr compile(const CompileInput& in) const override;
  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }
  bool deterministic() const override { return false; }  // it may draw numbers, or count its runs

 private:
  const ClientFunctions& choose(std::span<const Fact> in) const;
  std::vector<Fact> infer(const ClientFunctions& functions, std::span<const Fact> in) const;
  KernelInfo kernel_info(std::vector<Fact> in, std::vector<Fact> out) const;
  std::shared_ptr<const ClientKernel> kernel(std::span<const Fact> in, const std::vector<Fact>& out) const;

  std::shared_ptr<const ClientOps> ops_;
  NodeSpec node_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const ClientKernel> kernel_;
};

}  // namespace linnet::ort
