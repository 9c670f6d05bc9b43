#pragma once

#include "linnet/node_spec.h"
#include "tensor/checksum.h"

namespace linnet {

/// Whether two nodes of one operator mean the same: equal opsets and attributes. Bodies are equal where they are one.
bool equal_specs(const NodeSpec& a, const NodeSpec& b);

/// Of opset and attributes: that of equal specs is the same. secret: Checksummer's.
Checksum checksum_of(const NodeSpec& spec, std::span<const std::byte> secret = {});

}  // namespace linnet
