#pragma once

#include <map>
#include <vector>

#include "quantizer/layers.h"

namespace linnet {

/// The float32 values of a graph that become bytes, in groups that share a grid because operators that only move
/// elements stand between them.
struct Placement {
  std::vector<std::vector<ValueId>> groups;
  std::map<ValueId, size_t> group;  ///< of each of these values
};

/// What these layers read; what they give where it becomes bytes anyway before the next one, or the layer is a Conv;
/// and what stands between them and such values.
Placement place_bytes(const Graph& graph, const std::vector<Layer>& layers);

}  // namespace linnet
