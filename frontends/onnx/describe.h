#pragma once

#include <string>

#include "linnet/error.h"
#include "proto.h"

namespace linnet {

/// Returns the name of a node, or that of its first output if it has no name.
inline std::string node_name(const pb::NodeProto& node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

/// Returns a text such as "Conv 'layer1.0.conv1'".
inline std::string describe(const pb::NodeProto& node) { return str(node.op_type(), " '", node_name(node), "'"); }

}  // namespace linnet
