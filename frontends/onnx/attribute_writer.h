#pragma once

#include <functional>
#include <memory>

#include "linnet/node_spec.h"
#include "proto.h"

namespace linnet {

/// Writes a body to a message, given the names around it.
using WriteBody = std::function<void(const Graph& body, pb::GraphProto& proto)>;

/// Writes all attributes of a node. A tensor that was stored sparse is written dense.
void write_attributes(const NodeSpec& spec, const WriteBody& write_body, pb::NodeProto& proto);

}  // namespace linnet
