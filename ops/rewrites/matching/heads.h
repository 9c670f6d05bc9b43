#pragma once

#include "graph/patch.h"

// Heads are side by side, [batch, length, heads, size], in the results of products, or in front, [batch, heads, length,
// size].
namespace linnet {

/// The value with heads side by side, of known number and size, that a Transpose converts to heads in front for this
/// input; kNoValue if there is no such Transpose.
ValueId source_of_heads(const Graph& graph, const Node& node, int input);

/// Adds the Transpose that puts heads in front.
ValueId add_heads_in_front(Patch& patch, const Node& for_node, ValueId side_by_side);

/// The attribute of linnet::RotaryEmbedding for heads side by side.
inline constexpr const char* kHeadsSideBySide = "heads_side_by_side";

}  // namespace linnet
