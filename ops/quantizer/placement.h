#pragma once

#include <map>
#include <vector>

#include "quantizer/layers.h"

namespace linnet {

/// The float32 values of a graph that become bytes. Values form a group, which shares a grid, if only operators that
/// move elements separate them.
struct Placement {
  std::vector<std::vector<ValueId>> groups;
  std::map<ValueId, size_t> group;  ///< The group of each of these values.
};

/// Places on bytes:
/// - the inputs of these layers
/// - the outputs of layers that are a Conv or whose output reaches another layer
/// - the inputs of the operators before such values that move elements or take means
Placement place_bytes(const Graph& graph, const std::vector<Layer>& layers);

}  // namespace linnet
