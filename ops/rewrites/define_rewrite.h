#pragma once

#include <optional>

#include "graph/patch.h"

namespace linnet {

using RewriteFunction = std::optional<Patch>(const Graph& graph, const Node& node);

/// Begins a rewrite: LINNET_DEFINE_REWRITE(drop_identity)(const Graph& graph, const Node& node) { ... }. The name
/// stands in rewrite_list.inc; the build checks that.
#define LINNET_DEFINE_REWRITE(name) \
  RewriteFunction name;             \
  std::optional<Patch> name

}  // namespace linnet
