#pragma once

#include <optional>

#include "graph/patch.h"

namespace linnet {

/// Makes every node compute in the dtype that its operator asks for (see Precision): float16 and bfloat16 are widened
/// where they come from outside such nodes (inputs, constants, bodies), and values are rounded to them where one that
/// is not such a node, or the caller, reads them. Between two such nodes they stay wide. What only moves elements goes
/// with what it reads. rewrites: of those that follow, keep_half_weights finds large constants by their linnet::Cast.
std::optional<Patch> lower_precision(const Graph& graph, bool rewrites);

}  // namespace linnet
