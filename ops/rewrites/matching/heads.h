#pragma once

#include "graph/patch.h"

// Heads side by side, [batch, length, heads, size], as products give them, and in front, [batch, heads, length, size].
namespace linnet {

/// The heads side by side behind an input that a Transpose puts in front, heads and sizes known; else kNoValue.
ValueId source_of_heads(const Graph& graph, const Node& node, int input);

/// Adds the Transpose that puts heads in front.
ValueId add_heads_in_front(Patch& patch, const Node& for_node, ValueId side_by_side);

/// The attribute of linnet::RotaryEmbedding by which heads lie side by side.
inline constexpr const char* kHeadsSideBySide = "heads_side_by_side";

}  // namespace linnet
