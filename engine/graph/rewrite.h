#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/patch.h"

namespace linnet {

/// When a rewrite is tried.
enum class RewriteStage {
  kFirst,   ///< until it does not apply any more, before others look for patterns
  kMiddle,  ///< in turn with the others
  kLast,    ///< when no other one applies any more
};

/// A graph rewrite: called for every node; returns the change to make, or nullopt when it does not apply.
struct Rewrite {
  std::string name;
  std::optional<Patch> (*apply)(const Graph& graph, const Node& node) = nullptr;
  RewriteStage stage = RewriteStage::kMiddle;
};

/// A change that a graph needs before its nodes can be compiled; nullopt where it needs none. Facts are known then.
/// rewrites: whether those of the registry follow.
using Lowering = std::optional<Patch> (*)(const Graph& graph, bool rewrites);

/// What a registry does with graphs.
struct Registry::Rewrites {
  std::vector<Rewrite> list{};  ///< in the order in which they are tried
  Lowering lowering = nullptr;  ///< of every graph, whatever optimization is asked for; nullptr: none

  /// Those of the registry, as long as nobody sets others.
  static const Rewrites& of(const Registry& registry);
  static void set(Registry& registry, Rewrites rewrites);
};

}  // namespace linnet
