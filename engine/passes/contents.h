#pragma once

#include <optional>
#include <span>

#include "compile/model_resources.h"
#include "graph/graph.h"

namespace linnet {

/// Adds to the outputs of a node what is known of their contents.
void infer_contents(const Node& node, std::span<const Fact> in, std::vector<Fact>& out, const ModelResources& resources);

}  // namespace linnet
