#pragma once

#include "compile/model_resources.h"
#include "graph/graph.h"
#include "linnet/export.h"
#include "tensor/dim_substitution.h"

// Whole-graph passes, which are independent of operators.
namespace linnet {

/// Infers the fact of every value from those of the graph inputs and computes what depends only on constants, which
/// folds shape arithmetic. Nodes whose inputs' facts did not change are skipped. Known dims stay known. widen: whether
/// to compute what Op::widens_constants(), too. Throws what the operators' rules throw.
void propagate_facts(Graph& graph, const ModelResources& resources, bool widen = true);

/// Replaces symbols and other parts of dims in all facts.
void substitute_dims(Graph& graph, const DimSubstitution& dims);

/// Replaces node outputs that are known to be constant by constants. Call it after propagate_facts().
bool fold_constants(Graph& graph);

/// Merges nodes that apply the same operator with equal attributes to the same values, and equal small constants.
bool merge_equal_nodes(Graph& graph);

/// Merges nodes that compute the same from constants, and removes those that return their input, before anything is
/// computed. What several nodes make from a weight is then made, and packed, once.
void merge_equal_constants(Graph& graph);

/// Propagates facts and optimises each body of control-flow nodes once.
void optimize_bodies(Graph& graph, const ModelResources& resources);

/// Calls check_contents() of each operator that has it. Throws what they throw.
void check_contents(const Graph& graph);

/// Throws Error(kModel), which lists the existing rewrites, if the registry does not have this one.
LINNET_API void require_rewrite(const std::string& name, const Registry& registry);

/// Infers facts and applies the registry's lowering. Depending on options.optimization, also folds, merges and applies
/// the registry's rewrites, until nothing changes. again: the graph was optimised before and more is known now.
void optimize(Graph& graph, const ModelResources& resources, bool again = false);

}  // namespace linnet
