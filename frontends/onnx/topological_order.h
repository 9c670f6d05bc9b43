#pragma once

#include <vector>

#include "proto.h"

namespace linnet {

using NodeProtos = google::protobuf::RepeatedPtrField<pb::NodeProto>;

/// Returns the positions of the nodes such that each comes after the nodes whose outputs it or its bodies read. If the
/// file's order is such an order, it is preserved. Throws Error(kModel) with the nodes of a cycle.
std::vector<int> topological_order(const NodeProtos& nodes);

}  // namespace linnet
