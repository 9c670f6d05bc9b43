#pragma once

#include <optional>

#include "graph/patch.h"

namespace linnet {

/// Makes every node compute in the dtype that its operator asks for (see Precision): float16 and bfloat16 are widened
/// where they come from outside such nodes (inputs, constants, bodies), and values are rounded to them where one that
/// is not such a node, or the caller, reads them. Between two such nodes they stay wide. What only moves elements goes
/// with what it reads.
std::optional<Patch> lower_precision(const Graph& graph);

}  // namespace linnet
