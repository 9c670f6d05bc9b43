#pragma once

#include <optional>

#include "graph/graph.h"

namespace linnet {

/// An activation by the name that attributes of internal operators give it, with its parameters.
struct NamedActivation {
  const char* name;
  float alpha = 0, beta = 0;
};

/// The activation that a node of ai.onnx applies to its first input; nullopt for other nodes.
std::optional<NamedActivation> activation_of(const Graph& graph, const Node& node);

}  // namespace linnet
