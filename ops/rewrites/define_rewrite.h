#pragma once

#include <optional>

#include "graph/patch.h"

namespace linnet {

using RewriteFunction = std::optional<Patch>(const Graph& graph, const Node& node);

/// Begins a rewrite: LINNET_DEFINE_REWRITE(drop_identity)(const Graph& graph, const Node& node) { ... }. The build
/// checks that rewrite_list.inc lists the name.
#define LINNET_DEFINE_REWRITE(name) \
  RewriteFunction name;             \
  std::optional<Patch> name

}  // namespace linnet
