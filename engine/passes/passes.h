#pragma once

#include "compile/model_resources.h"
#include "graph/graph.h"
#include "linnet/export.h"
#include "tensor/dim_substitution.h"

// Whole-graph passes. They know no operator.
namespace linnet {

/// Infers the fact of every value from those of the graph inputs, computing on the way what depends on constants only;
/// not again where it was inferred from the same facts. Dims that values have already stay. Shape arithmetic folds away
/// here. widen: compute what Op::widens_constants(), too. Throws what the operators' rules throw.
void propagate_facts(Graph& graph, const ModelResources& resources, bool widen = true);

/// Replaces symbols, and other parts of dims, in all facts.
void substitute_dims(Graph& graph, const DimSubstitution& dims);

/// Replaces node outputs that are known to be constant by constants. Call after propagate_facts.
bool fold_constants(Graph& graph);

/// Merges nodes that apply the same operator with equal attributes to the same values, and equal small constants.
bool merge_equal_nodes(Graph& graph);

/// Merges nodes that compute the same of constants, those aside that give their input, before anything is computed:
/// what several nodes make of a weight is made, and packed, once.
void merge_equal_constants(Graph& graph);

/// Propagates facts, and optimises the bodies of control-flow nodes, each once.
void optimize_bodies(Graph& graph, const ModelResources& resources);

/// Asks each operator that ChecksContents whether it takes its constants. Throws what they throw.
void check_contents(const Graph& graph);

/// Throws Error(kModel), which lists those that there are, for a rewrite that the registry does not have.
LINNET_API void require_rewrite(const std::string& name, const Registry& registry);

/// Facts, the registry's lowering and, as far as options.optimization goes, folding, merging and the registry's
/// rewrites, to a fixed point. again: the graph was optimised before, and knows more now.
void optimize(Graph& graph, const ModelResources& resources, bool again = false);

}  // namespace linnet
