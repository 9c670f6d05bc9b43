#include <utility>

#include "environment/run_environment.h"
#include "graph/rewrite.h"
#include "passes/passes.h"

namespace linnet {
namespace {

// Rewrites that undid each other would loop; real models settle within a few rounds.
constexpr int kMaxRounds = 16;

bool apply_rewrite(Graph& graph, const Rewrite& rewrite) {
  bool changed = false;
  const std::vector<NodeId> order = graph.nodes();
  for (const NodeId id : order) {
    if (!graph.alive(id)) continue;
    check_current();
    if (const auto patch = rewrite.apply(graph, graph.node(id))) {
      try {
        patch->apply(graph);
      } catch (const Error& error) {
        throw error.with_context("rewrite " + rewrite.name);
      }
      changed = true;
    }
  }
  return changed;
}

bool apply_rewrites(Graph& graph, const ModelOptions& options, RewriteStage stage) {
  bool changed = false;
  const auto registry = graph.registry();
  for (const Rewrite& rewrite : Registry::Rewrites::of(*registry)) {
    if (rewrite.stage != stage || options.disabled_rewrites.contains(rewrite.name)) continue;
    changed |= apply_rewrite(graph, rewrite);
  }
  return changed;
}

/// The facts of a graph whose nodes can all be compiled.
void lower_and_propagate(Graph& graph, const ModelResources& resources, bool widen) {
  propagate_facts(graph, resources, widen);
  const Lowering lowering = Registry::Rewrites::lowering_of(*graph.registry());
  if (!lowering) return;
  const auto patch = lowering(graph, resources.options.optimization >= 2);
  if (!patch) return;
  patch->apply(graph);
  propagate_facts(graph, resources, widen);
}

/// Propagates facts and folds what they make constant, until nothing more becomes known.
bool fold(Graph& graph, const ModelResources& resources, bool widen) {
  bool changed = false;
  for (int round = 0; round < kMaxRounds; ++round) {
    lower_and_propagate(graph, resources, widen);
    if (resources.options.optimization == 0) return false;
    changed |= fold_constants(graph);
    changed |= merge_equal_nodes(graph);
    if (resources.options.optimization < 2) return changed;
    if (!apply_rewrites(graph, resources.options, RewriteStage::kFirst)) return changed;
    changed = true;
  }
  return changed;
}

}  // namespace

void optimize(Graph& graph, const ModelResources& resources) {
  graph.drop_dead_nodes();
  bool changed = true, widen = resources.options.optimization < 2;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = fold(graph, resources, widen);
    if (resources.options.optimization == 0) return;
    if (resources.options.optimization >= 2) {
      changed |= apply_rewrites(graph, resources.options, RewriteStage::kMiddle);
      if (!changed) {
        changed = !std::exchange(widen, true) || apply_rewrites(graph, resources.options, RewriteStage::kLast);
      }
    }
    graph.drop_unread_constants();
  }
}

}  // namespace linnet
