#pragma once

#include <optional>

#include "graph/rewrite.h"
#include "registration.h"

namespace linnet {

using RewriteFunction = std::optional<Patch>(const Graph& graph, const Node& node);

/// Begins a rewrite whose root is a node of one of these operators, or any node if none is named:
/// LINNET_DEFINE_REWRITE(cancel_transposes, "Transpose")(const Graph& graph, const Node& node) { ... }
/// The build checks that rewrite_list.inc lists the name.
#define LINNET_DEFINE_REWRITE(name, ...)                  \
  extern const RewriteRoots name##_roots;                 \
  constinit const RewriteRoots name##_roots{__VA_ARGS__}; \
  RewriteFunction name;                                   \
  std::optional<Patch> name

/// An internal operator of Linnet as a root.
constexpr RewriteRoot internal_op(std::string_view op_type) { return {op_type, kInternalDomain}; }

}  // namespace linnet
