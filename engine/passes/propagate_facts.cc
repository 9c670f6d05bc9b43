#include <algorithm>

#include "environment/run_environment.h"
#include "passes/contents.h"
#include "passes/evaluate.h"
#include "passes/passes.h"
#include "tensor/lessons.h"
#include "tensor/same_fact.h"
#include "tensor/stored_contents.h"

namespace linnet {
namespace {

bool all_constant(std::span<const Fact> facts) {
  return std::all_of(facts.begin(), facts.end(), [](const Fact& f) { return !f.present() || f.constant; });
}

/// What is known of a value stays known: rules may see less where they know fewer dims of their inputs.
void keep_known(const Fact& known, Fact& fact) {
  if (fact.dtype != known.dtype || !known.has_rank() || fact.constant) return;
  if (!fact.has_rank()) fact.dims = known.dims;
  if (fact.rank() != known.rank()) return;
  for (int i = 0; i < fact.rank(); ++i) {
    Dim& dim = (*fact.dims)[size_t(i)];
    if (!dim.known() && (known.dim(i).known() || !dim.told())) dim = known.dim(i);
  }
}

std::vector<Fact> output_facts(const Graph& graph, const Node& node, const ModelResources& resources, bool widen) {
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

/// A symbol for each dim that no rule tells.
void name_unknown(ValueId value, Fact& fact) {
  if (!fact.present() || fact.element || !fact.has_rank()) return;
  for (int d = 0; d < fact.rank(); ++d) {
    Dim& dim = (*fact.dims)[size_t(d)];
    if (!dim.told()) dim = Dim(str("?", value, ".", d));
  }
}

}  // namespace

void infer_facts(Graph& graph, const Node& node, const ModelResources& resources, bool widen) {
  check_current();
  std::vector<Fact> out = output_facts(graph, node, resources, widen);
  for (size_t i = 0; i < out.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    keep_known(graph.fact(node.outputs[i]), out[i]);
    name_unknown(node.outputs[i], out[i]);
    graph.set_fact(node.outputs[i], std::move(out[i]));
  }
}

namespace {

/// Writes what operators demand of dims to all facts; false where nothing is new.
bool learn(Graph& graph, const Lessons& lessons) {
  const auto solved = lessons.solve();
  if (solved.empty()) return false;
  if (getenv("LINNET_SPIKE")) for (auto& [n, d] : solved) fprintf(stderr, "%s\n", str("learned ", n, " = ", d, " (at most ", d.most(), ")").c_str());
  const auto of = [&](const std::string& symbol) {
    for (const auto& [name, dim] : solved) {
      if (name == symbol) return dim;
    }
    return Dim();
  };
  for (ValueId v = 0; v < graph.value_count(); ++v) {
    Fact fact = graph.fact(v);
    if (fact.dims) for (Dim& dim : *fact.dims) dim = substitute(dim, of);
    if (fact.contents) {
      Dims contents = *fact.contents;
      for (Dim& dim : contents) dim = substitute(dim, of);
      fact.contents = std::make_shared<const Dims>(std::move(contents));
    }
    graph.set_fact(v, std::move(fact));
  }
  return true;
}

}  // namespace

void propagate_facts(Graph& graph, const ModelResources& resources, bool widen) {
  for (int round = 0; round < 4; ++round) {
    Lessons lessons;
    for (const NodeId id : graph.nodes()) infer_facts(graph, graph.node(id), resources, widen);
    if (!learn(graph, lessons)) return;
  }
}

void update_facts(Graph& graph, std::vector<bool>& changed, const ModelResources& resources) {
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    const auto is_changed = [&](ValueId v) { return v != kNoValue && changed[size_t(v)]; };
    if (std::none_of(node.inputs.begin(), node.inputs.end(), is_changed)) continue;
    check_current();
    std::vector<Fact> out = output_facts(graph, node, resources, true);
    for (size_t i = 0; i < out.size(); ++i) {
      const ValueId v = node.outputs[i];
      if (v == kNoValue || same_fact(graph.fact(v), out[i])) continue;
      graph.set_fact(v, std::move(out[i]));
      changed[size_t(v)] = true;
    }
  }
}

}  // namespace linnet
