#pragma once

#include "linnet/node_spec.h"
#include "tensor/checksum.h"

namespace linnet {

/// Whether two nodes of one operator mean the same: equal opsets and attributes. Two bodies are equal only if they are
/// the same object.
bool equal_specs(const NodeSpec& a, const NodeSpec& b);

/// The checksum of opset and attributes, which is equal for equal specs. secret: as for Checksummer.
Checksum checksum_of(const NodeSpec& spec, std::span<const std::byte> secret = {});

}  // namespace linnet
