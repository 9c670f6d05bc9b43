#pragma once

#include "linnet/node_spec.h"

namespace linnet {

/// Whether two nodes of one operator mean the same: equal opsets and attributes. Bodies are equal where they are one.
bool equal_specs(const NodeSpec& a, const NodeSpec& b);

}  // namespace linnet
