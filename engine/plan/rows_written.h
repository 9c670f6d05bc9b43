#pragma once

#include <cstdint>
#include <optional>

#include "graph/graph.h"

namespace linnet {

/// How many rows the node that computes `output` from a state writes into it: the dim along `axis` of the only other
/// input that has the state's shape apart from that axis. nullopt where no node does, or no such input is known.
std::optional<int64_t> rows_written(const Graph& graph, ValueId state, ValueId output, int axis);

}  // namespace linnet
