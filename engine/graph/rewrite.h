#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/patch.h"

namespace linnet {

/// A graph rewrite: called for every node; returns the change to make, or nullopt when it does not apply.
struct Rewrite {
  std::string name;
  std::optional<Patch> (*apply)(const Graph& graph, const Node& node) = nullptr;
  bool last = false;  ///< tried when no other rewrite applies any more
};

/// A change that a graph needs before its nodes can be compiled; nullopt where it needs none. Facts are known then.
/// rewrites: whether those of the registry follow.
using Lowering = std::optional<Patch> (*)(const Graph& graph, bool rewrites);

/// Whether two forms of one graph, which rewrites made of it, give the same bits.
using Comparison = bool (*)(const Graph& a, const Graph& b);

/// Those of a registry, in order, and the lowering that every graph undergoes, whatever optimization is asked for.
struct Registry::Rewrites {
  std::vector<Rewrite> list;
  Lowering lowering = nullptr;      ///< nullptr: none
  Comparison comparison = nullptr;  ///< nullptr: no two forms are known to be equal

  static const std::vector<Rewrite>& of(const Registry& registry);
  /// Puts more behind those that the registry has.
  static void add(Registry& registry, const std::vector<Rewrite>& rewrites);
  static Lowering lowering_of(const Registry& registry);
  static void set_lowering(Registry& registry, Lowering lowering);
  static Comparison comparison_of(const Registry& registry);
  static void set_comparison(Registry& registry, Comparison comparison);

 private:
  static std::shared_ptr<Rewrites> copy_of(const Registry& registry);
};

}  // namespace linnet
