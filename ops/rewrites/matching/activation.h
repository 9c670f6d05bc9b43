#pragma once

#include <optional>

#include "functions/function_table.h"
#include "graph/graph.h"

namespace linnet {

/// The function with a float32 kernel that a node of ai.onnx applies to its first input, with constant parameters;
/// nullopt for other nodes.
std::optional<Activation> activation_of(const Graph& graph, const Node& node);

}  // namespace linnet
