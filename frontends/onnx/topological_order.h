#pragma once

#include <vector>

#include "proto.h"

namespace linnet {

using NodeProtos = google::protobuf::RepeatedPtrField<pb::NodeProto>;

/// The positions of the nodes such that each comes after the nodes whose outputs it or its bodies read. The order of
/// the file is kept where it is one. Throws Error(kModel) with the nodes of a cycle.
std::vector<int> topological_order(const NodeProtos& nodes);

}  // namespace linnet
