#pragma once

#include <optional>
#include <vector>

#include "compile/model_resources.h"
#include "graph/graph.h"

namespace linnet {

/// Computes a node whose inputs are all constant, for constant folding. nullopt if its outputs' shapes depend on data
/// or would be much larger than its inputs, and for a node that must be lowered.
std::optional<std::vector<Tensor>> evaluate(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                                            const ModelResources& resources);

/// Computes the outputs of a node whose inputs are constant.
std::vector<Tensor> run_once(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                             const ModelResources& resources);

}  // namespace linnet
