#pragma once

#include <memory>
#include <vector>

#include "plan/rooms.h"

namespace linnet {

/// Nodes that run on copies of the rows in use.
struct RowRegion {
  std::shared_ptr<const Graph> body;
  std::vector<std::vector<LinearDim>> inputs;  ///< their dims
};

/// A node of the internal operator RowsInUse, without its inputs: first the counts, then the inputs of the body.
struct RowRegionNode {
  NodeSpec spec;
  std::vector<Fact> outputs;
  RowRegion region;
};

/// The node for a part of `graph`. wide: whether its outputs have room, as other values have, or only the rows in use.
RowRegionNode row_region_node(const Graph& graph, Graph part, const std::string& name, const Rooms& rooms, bool wide);

/// The spec of an operator of the internal domain.
NodeSpec internal_node(const char* op_type, std::string name);

}  // namespace linnet
