#include <utility>

#include "environment/run_environment.h"
#include "graph/registry_uses.h"
#include "graph/rewrite.h"
#include "linnet/did_you_mean.h"
#include "passes/passes.h"

namespace linnet {
namespace {

// The limit for rewrites that undo each other; real models settle within a few rounds.
constexpr int kMaxRounds = 16;
// The number of nodes that a rewrite visits between two checks of the deadline, each of which takes as long as a node.
constexpr size_t kUnchangedNodes = 64;

/// Whether an error is a limit or a cancellation by the caller.
bool ends_work(const Error& error) {
  return error.kind() == ErrorKind::kLimit || error.kind() == ErrorKind::kCancelled;
}

/// Makes the change that a rewrite proposes for a node; returns whether there was one. A rewrite that does not fit the
/// graph is a bug in Linnet, but the unchanged graph is correct.
bool apply_to_node(Graph& graph, const Rewrite& rewrite, const Node& node, const ModelResources& resources) {
  try {
    const auto patch = rewrite.apply(graph, node);
    if (!patch) return false;
    if (Registry::Uses* const uses = Registry::Uses::of(*graph.registry())) uses->add_rewrite(rewrite.name);
    patch->apply(graph);
    return true;
  } catch (const Error& error) {
    const Error in_context = error.with_context("rewrite " + rewrite.name);
    if (ends_work(error) || !resources.skips_rewrites) throw in_context;
    const Log& log = resources.options.log;
    if (log) log(LogLevel::kWarning, str(node.spec.describe(), " stays as it is: ", in_context.message()));
    return false;
  }
}

/// Applies the registry's rewrites to a graph.
class Rewriting {
 public:
  Rewriting(Graph& graph, const ModelResources& resources) : graph_(graph), resources_(resources) {}

  bool apply(RewriteStage stage) {
    bool changed = false;
    look_at_nodes();
    for (size_t i = 0; i < rewrites_.list.size(); ++i) {
      const Rewrite& rewrite = rewrites_.list[i];
      if (rewrite.stage != stage || resources_.options.disabled_rewrites.contains(rewrite.name)) continue;
      if (!apply(i)) continue;
      changed = true;
      look_at_nodes();
    }
    return changed;
  }

 private:
  void look_at_nodes() {
    order_ = graph_.nodes();
    for (NodeId id = NodeId(operators_.size()); id < graph_.node_capacity(); ++id) {
      operators_.push_back(graph_.alive(id) ? rewrites_.index.number_of(graph_.node(id).spec) : 0);
    }
  }

  bool apply(size_t rewrite) {
    bool changed = false;
    const std::span<const char> is_root = rewrites_.index.roots_of(rewrite);
    for (size_t i = 0; i < order_.size(); ++i) {
      if (i % kUnchangedNodes == 0) check_current();
      const NodeId id = order_[i];
      if (!is_root[operators_[size_t(id)]] || !graph_.alive(id)) continue;
      if (!apply_to_node(graph_, rewrites_.list[rewrite], graph_.node(id), resources_)) continue;
      changed = true;
      check_current();  // a change may have computed weights
    }
    return changed;
  }

  Graph& graph_;
  const ModelResources& resources_;
  const Registry::Rewrites& rewrites_ = Registry::Rewrites::of(*graph_.registry());
  std::vector<NodeId> order_;
  std::vector<size_t> operators_;  // by node: the number of its operator
};

/// Makes a graph whose nodes can all be compiled, and infers its facts.
void lower_and_propagate(Graph& graph, const ModelResources& resources, bool widen) {
  propagate_facts(graph, resources, widen);
  const Lowering lowering = Registry::Rewrites::of(*graph.registry()).lowering;
  if (!lowering) return;
  const auto patch = lowering(graph, resources.options.optimization >= 2);
  if (!patch) return;
  patch->apply(graph);
  propagate_facts(graph, resources, widen);
}

/// Propagates facts and folds what becomes constant, until nothing more becomes known.
void fold(Graph& graph, Rewriting& rewriting, const ModelResources& resources, bool widen) {
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    lower_and_propagate(graph, resources, widen);
    if (resources.options.optimization == 0) return;
    changed = fold_constants(graph);
    changed |= merge_equal_nodes(graph);
    if (resources.options.optimization >= 2) changed = rewriting.apply(RewriteStage::kFirst);
  }
}

}  // namespace

void require_rewrite(const std::string& name, const Registry& registry) {
  const std::vector<std::string> names = registry.rewrite_names();
  std::string known;
  for (const std::string& rewrite : names) {
    if (rewrite == name) return;
    known += (known.empty() ? "" : ", ") + rewrite;
  }
  throw Error(ErrorKind::kModel, str("there is no rewrite '", name, "'; known: ", known, did_you_mean(name, names)));
}

void optimize(Graph& graph, const ModelResources& resources, bool again) {
  graph.drop_dead_nodes();
  if (!again) graph.forget_inferred();
  Rewriting rewriting(graph, resources);
  bool changed = true, widen = again || resources.options.optimization < 2;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    fold(graph, rewriting, resources, widen);
    changed = false;
    if (resources.options.optimization >= 2) {
      changed = rewriting.apply(RewriteStage::kMiddle);
      if (!changed && !widen) {
        widen = changed = true;
        graph.forget_inferred();
      }
      changed = changed || rewriting.apply(RewriteStage::kLast);
    }
    graph.drop_unread_constants();
  }
}

}  // namespace linnet
