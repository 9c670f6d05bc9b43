#include <algorithm>

#include "environment/run_environment.h"
#include "passes/contents.h"
#include "passes/evaluate.h"
#include "passes/passes.h"
#include "tensor/dim_equations.h"
#include "tensor/stored_contents.h"

namespace linnet {
namespace {

bool all_constant(std::span<const Fact> facts) {
  return std::all_of(facts.begin(), facts.end(), [](const Fact& f) { return !f.present() || f.constant; });
}

constexpr int kMostLessons = 6;  // rounds of lessons

/// The fact with its symbols replaced.
Fact substituted(Fact fact, const DimSubstitution& substitution) {
  for (Dim& dim : *fact.dims) dim = substitution(dim);
  if (!fact.contents) return fact;
  auto contents = std::make_shared<Dims>(*fact.contents);
  for (Dim& dim : *contents) dim = substitution(dim);
  fact.contents = std::move(contents);
  return fact;
}

/// Whether no rule can determine more about a dim.
bool is_final(const Dim& dim) { return dim.determined() && !has_fresh(dim); }

/// Keeps what is known about a value, because rules that know fewer dims of their inputs may infer less.
void keep_known(const Fact& known, Fact& fact) {
  if (fact.dtype != known.dtype || !known.has_rank() || fact.constant) return;
  if (!fact.has_rank()) fact.dims = known.dims;
  if (fact.rank() != known.rank()) return;
  for (int i = 0; i < fact.rank(); ++i) {
    Dim& dim = (*fact.dims)[size_t(i)];
    if (!dim.known() && (is_final(known.dim(i)) || !dim.determined())) dim = known.dim(i);
  }
}

std::vector<Fact> inferred_facts(const Graph& graph, const Node& node, const ModelResources& resources, bool widen) {
  std::vector<Fact> in = input_facts(graph, node);
  for (Fact& fact : in) fact.constant = StoredContents::borrow(fact.constant);
  std::vector<Fact> out = infer_node(node, in);
  const bool computes = node.op->deterministic() && (widen || !node.op->widens_constants());
  if (computes && !all_constant(out) && all_constant(in)) {
    if (const auto values = evaluate(node, in, out, resources)) {
      for (size_t i = 0; i < out.size(); ++i) {
        if (out[i].present()) out[i] = Fact((*values)[i]);
      }
    }
  }
  infer_contents(node, in, out, resources);
  return out;
}

/// Gives a symbol to each dim that no rule determines.
void name_unknown(Fact& fact) {
  if (!fact.present() || fact.element || !fact.has_rank()) return;
  for (int d = 0; d < fact.rank(); ++d) {
    Dim& dim = (*fact.dims)[size_t(d)];
    if (!dim.determined()) dim = Dim::fresh();
  }
}

/// Infers the facts of a node's outputs. Known dims stay known.
void infer_facts(Graph& graph, const Node& node, const ModelResources& resources, bool widen) {
  check_current();
  std::vector<Fact> out = inferred_facts(graph, node, resources, widen);
  for (size_t i = 0; i < out.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    keep_known(graph.fact(node.outputs[i]), out[i]);
    name_unknown(out[i]);
    graph.set_fact(node.outputs[i], std::move(out[i]));
  }
  graph.set_inferred(node.id);
}

/// Writes what operators require of dims into all facts. False if nothing new follows.
bool apply_lessons(Graph& graph, DimScope& scope) {
  const DimSubstitution substitution = solve(scope.take_lessons());
  if (substitution.empty()) return false;
  substitute_dims(graph, substitution);
  return true;
}

}  // namespace

void substitute_dims(Graph& graph, const DimSubstitution& dims) {
  for (ValueId v = 0; v < graph.value_count(); ++v) {
    const Fact& fact = graph.fact(v);
    if (fact.dims && !fact.constant) graph.set_fact(v, substituted(fact, dims));
  }
}

void propagate_facts(Graph& graph, const ModelResources& resources, bool widen) {
  DimScope* const scope = DimScope::current();
  for (int round = 0; round < kMostLessons; ++round) {
    for (const NodeId id : graph.nodes()) {
      if (!graph.is_inferred(id)) infer_facts(graph, graph.node(id), resources, widen);
    }
    if (!scope || !scope->learns()) return;
    if (apply_lessons(graph, *scope)) continue;
    if (scope->assumes()) return;
    scope->begin_assuming();
    graph.forget_inferred();
  }
}

}  // namespace linnet
