#pragma once

#include <optional>
#include <span>

#include "expansion/graph_writer.h"

namespace linnet {

/// The expansion of a node while it is written: a graph whose inputs are those of the node that are given.
class Expansion : public GraphWriter {
 public:
  /// With `own_constants`, inputs that are constant are constants of the graph.
  Expansion(std::shared_ptr<const Registry> registry, const std::string& name, std::span<const Fact> inputs,
            bool own_constants);

  std::span<const Fact> facts() const { return facts_; }
  /// Input i of the node; kNoValue where it is omitted or lies past the end.
  ValueId in(size_t i) const { return i < in_.size() ? in_[i] : kNoValue; }
  bool has(size_t i) const { return in(i) != kNoValue; }

  /// The expansion depends on what is not known yet: it gives facts, but is not to be used.
  void wait() { waits_ = true; }
  bool waits() const { return waits_; }
  /// Stands for an output about which no more than its dtype is known yet.
  ValueId unknown(DType dtype);

 private:
  std::span<const Fact> facts_;
  std::vector<ValueId> in_;
  bool waits_ = false;
};

}  // namespace linnet
