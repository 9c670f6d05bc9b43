#pragma once

#include <memory>
#include <vector>

#include "linnet/op.h"
#include "node.h"

namespace linnet::c_api {

/// The maximum number of inputs, and of outputs, that an operator may declare.
inline constexpr size_t kMaxOperatorValues = 4096;

/// An operator that a C program registers; shared by all nodes of its type.
class Callbacks {
 public:
  explicit Callbacks(const linnet_operator& definition) : definition_(definition) {}
  ~Callbacks() {
    if (owned_ && definition_.free_user_data) definition_.free_user_data(definition_.user_data);
  }
  Callbacks(const Callbacks&) = delete;

  void own_user_data() { owned_ = true; }
  const linnet_operator* operator->() const { return &definition_; }

 private:
  linnet_operator definition_;
  bool owned_ = false;
};

/// A node of an operator that is implemented by callbacks.
class CallbackOp final : public Op {
 public:
  CallbackOp(std::shared_ptr<const Callbacks> callbacks, const NodeSpec& node)
      : callbacks_(std::move(callbacks)), node_(std::make_shared<linnet_node>(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override;
  KernelPtr compile(const CompileInput& in) const override;

 private:
  void check_inputs(std::span<const Fact> in) const;

  std::shared_ptr<const Callbacks> callbacks_;
  std::shared_ptr<const linnet_node> node_;
};

}  // namespace linnet::c_api
