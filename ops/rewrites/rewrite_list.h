#pragma once

#include <optional>

#include "graph/patch.h"

namespace linnet {

#define LINNET_REWRITE(name) std::optional<Patch> name(const Graph& graph, const Node& node);
#define LINNET_FIRST_REWRITE LINNET_REWRITE
#define LINNET_LAST_REWRITE LINNET_REWRITE
#include "rewrites/rewrite_list.inc"
#undef LINNET_LAST_REWRITE
#undef LINNET_FIRST_REWRITE
#undef LINNET_REWRITE

}  // namespace linnet
