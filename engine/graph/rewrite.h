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

/// Whether two forms of one graph, which rewrites made of it, give the same bits.
using Comparison = bool (*)(const Graph& a, const Graph& b);

/// A value that a run leaves for the next: an input of a graph and the number of the output that becomes it, which has
/// more rows along `axis`.
struct GrowingState {
  ValueId input = kNoValue;
  size_t output = 0;
  int axis = 0;
};

/// A graph in two parts, so that one of them, with nearly all of the work, is the same for every length of its states.
struct GrowingGraphs {
  /// What depends on lengths: masks, positions. Of the states it reads the shape only. Its outputs are inputs of
  /// `steps`.
  Graph sizes;
  /// The rest, on states that have memory for more rows than they have, into which new ones are written: their dim of
  /// rows is the symbol kCapacity, as is that of inputs, outputs of `sizes` among them, that have a column for each
  /// row.
  Graph steps;
  ValueId rows = kNoValue;  ///< input of `steps`: int64 [batch], how many rows the states have; each the same
};

/// The symbol of the dims of GrowingGraphs::steps that come with the capacity of the states.
inline constexpr const char* kCapacity = "capacity";

/// The parts of an optimised graph; nullopt where not all that reads the states can read a part of their rows.
/// Symbols of dims stand for numbers that are equal.
using Growing = std::optional<GrowingGraphs> (*)(const Graph& graph, const std::vector<GrowingState>& states);

/// What a registry does with graphs.
struct Registry::Rewrites {
  std::vector<Rewrite> list{};      ///< in the order in which they are tried
  Lowering lowering = nullptr;      ///< of every graph, whatever optimization is asked for; nullptr: none
  Comparison comparison = nullptr;  ///< nullptr: no two forms are known to be equal
  Growing growing = nullptr;        ///< nullptr: there are no such parts

  /// Those of the registry, as long as nobody sets others.
  static const Rewrites& of(const Registry& registry);
  static void set(Registry& registry, Rewrites rewrites);
};

}  // namespace linnet
