#pragma once

#include <optional>

#include "graph/patch.h"

namespace linnet {

#define LINNET_REWRITE(name) std::optional<Patch> name(const Graph& graph, const Node& node);
#include "rewrites/rewrite_list.inc"
#undef LINNET_REWRITE

}  // namespace linnet
