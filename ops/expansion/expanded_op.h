#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "expansion/expansion.h"
#include "linnet/registry.h"

namespace linnet {

/// The operators in expansions, created lazily. Thread-safe.
class StandardOperators {
 public:
  std::shared_ptr<const Registry> get();

 private:
  std::once_flag once_;
  std::shared_ptr<const Registry> registry_;
};

/// An operator that is defined by an expansion: a small graph of standard operators, which also determines its facts.
/// The rewrite expand_operator replaces the node by the graph; otherwise the kernel runs the graph.
class ExpandedOp : public Op {
 public:
  std::vector<Fact> infer(std::span<const Fact> in) const final;
  KernelPtr compile(const CompileInput& in) const final;
  Precision computes_in(std::span<const Fact>) const final { return precision_; }

  /// The graph for inputs with these facts. Its inputs are the given ones, in order; its outputs are all of the
  /// operator's. nullopt if it depends on unknown facts.
  std::optional<Graph> expansion(std::span<const Fact> in) const;

 protected:
  /// `precision`: kFloat32 if all floats may be widened before the graph, so that they stay wide between this operator
  /// and its neighbours; kAny if it moves elements.
  explicit ExpandedOp(const NodeSpec& node, Precision precision = Precision::kAsGiven)
      : name_(node.name), precision_(precision) {}

  /// Checks the inputs, writes the graph and returns its outputs.
  virtual std::vector<ValueId> expand(Expansion& graph) const = 0;

 private:
  template <class T>
  friend void add_expanded(Registry& registry, const std::string& op_type, const OpVersion& version);

  Expansion begin(std::span<const Fact> in, bool own_constants) const {
    return {standard_->get(), name_, in, own_constants};
  }

  std::string name_;
  Precision precision_;
  std::shared_ptr<StandardOperators> standard_;
};

/// Registers an ExpandedOp, constructed from the node.
template <class T>
void add_expanded(Registry& registry, const std::string& op_type, const OpVersion& version) {
  registry.add(op_type, version, [standard = std::make_shared<StandardOperators>()](const NodeSpec& node) {
    auto op = std::make_unique<T>(node);
    static_cast<ExpandedOp&>(*op).standard_ = standard;
    return op;
  });
}

}  // namespace linnet
