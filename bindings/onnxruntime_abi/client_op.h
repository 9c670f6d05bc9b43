#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "abi.h"
#include "kernel_info.h"
#include "linnet/op.h"

namespace linnet::ort {

/// An operator that a client defines. Reads its declarations once, as far as its version has them.
class ClientFunctions {
 public:
  /// Throws Failure for declarations that contradict each other.
  explicit ClientFunctions(const CustomOp& op);

  const std::string& name() const { return name_; }
  /// The CPU is "" or "CPUExecutionProvider".
  const std::string& provider() const { return provider_; }
  int start_version() const { return start_version_; }
  int end_version() const { return end_version_; }

  /// Returns the declared type of input or output `i` of a node. If the last declaration is variadic, it applies to all
  /// further values. Throws Error(kModel).
  ElementType input_type(size_t i) const { return declaration(inputs_, i, "inputs").type; }
  ElementType output_type(size_t i) const { return declaration(outputs_, i, "outputs").type; }
  /// Throws Error(kModel or kType) unless a node with these inputs may use the operator.
  void check_inputs(std::span<const Fact> in) const;
  /// Returns the facts of the outputs, whose types are known, with the shapes that the client infers. Failures of the
  /// client are ignored.
  std::vector<Fact> infer(const NodeSpec& node, std::span<const Fact> in, std::vector<Fact> out) const;

  void* create_kernel(const KernelInfo& info) const;
  Status* compute(void* kernel, KernelContext* context) const;
  void destroy_kernel(void* kernel) const { op_->destroy_kernel(kernel); }

 private:
  struct Value {
    ElementType type;
    Characteristic characteristic;
  };

  static const Value& declaration(const std::vector<Value>& values, size_t i, const char* side);
  void check_declarations() const;
  void check_variadic(std::span<const Fact> in) const;

  const CustomOp* op_;
  std::string name_, provider_;
  std::vector<Value> inputs_, outputs_;
  int start_version_, end_version_;
  size_t least_variadic_ = 0;
  bool alike_variadic_ = true;
};

/// The kernel of one node, made when the types of its inputs are first known.
class ClientKernel {
 public:
  ClientKernel(const ClientFunctions& functions, KernelInfo info)
      : functions_(functions), info_(std::move(info)), kernel_(functions_.create_kernel(info_)) {}
  ~ClientKernel() { functions_.destroy_kernel(kernel_); }
  ClientKernel(const ClientKernel&) = delete;

  /// Runs on values that have the facts of `info`.
  void run(linnet::KernelContext& context, const KernelInfo& info) const;

 private:
  const ClientFunctions functions_;
  const KernelInfo info_;
  void* const kernel_;
};

/// The state shared by all nodes of a type: the operators of that name, which differ in the types that they accept.
struct ClientOps {
  std::vector<std::shared_ptr<void>> libraries;  ///< first, so that they outlive what their code defines
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
  bool deterministic() const override { return false; }  // it may generate random numbers, or count its runs

 private:
  /// What is known once the types of the inputs are known.
  struct Made {
    std::vector<Fact> inputs, outputs;
    std::shared_ptr<const ClientKernel> kernel;
  };

  const ClientFunctions& choose(std::span<const Fact> in) const;
  std::vector<Fact> output_types(const ClientFunctions& functions, std::span<const Fact> in) const;
  KernelInfo kernel_info(std::vector<Fact> in, std::vector<Fact> out) const;
  const Made& made(std::span<const Fact> in) const;

  std::shared_ptr<const ClientOps> ops_;
  NodeSpec node_;
  mutable std::mutex mutex_;
  mutable std::optional<Made> made_;
};

}  // namespace linnet::ort
