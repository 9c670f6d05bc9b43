#pragma once

#include <optional>
#include <span>

#include "expansion/graph_writer.h"

namespace linnet {

/// The expansion of a node while it is written: a graph whose inputs are the given inputs of the node.
class Expansion : public GraphWriter {
 public:
  /// With `own_constants`, constant inputs become constants of the graph.
  Expansion(std::shared_ptr<const Registry> registry, const std::string& name, std::span<const Fact> inputs,
            bool own_constants);

  std::span<const Fact> facts() const { return facts_; }
  /// Input i of the node; kNoValue if it is omitted or out of range.
  ValueId in(size_t i) const { return i < in_.size() ? in_[i] : kNoValue; }
  bool has(size_t i) const { return in(i) != kNoValue; }

  /// Marks the expansion as dependent on unknown facts: it determines facts, but must not be used.
  void wait() { waits_ = true; }
  bool waits() const { return waits_; }
  /// A placeholder for an output of which only the dtype is known.
  ValueId unknown(DType dtype);

 private:
  std::span<const Fact> facts_;
  std::vector<ValueId> in_;
  bool waits_ = false;
};

}  // namespace linnet
