#pragma once

#include "linnet/lowering.h"

namespace linnet::exporter {

#define LINNET_RULES(name) void register_##name(Lowerings& lowerings);
#include "rule_list.inc"
#undef LINNET_RULES

/// Returns all built-in rules of the exporter.
Lowerings standard_lowerings();

}  // namespace linnet::exporter
