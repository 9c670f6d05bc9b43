#pragma once

#include <optional>

#include "graph/patch.h"

namespace linnet {

/// Makes every node compute in the dtype that its operator requests (see Precision). Casts float16 and bfloat16 values
/// to that dtype where they come from inputs, constants, bodies or nodes with another dtype, and casts results back
/// where another node or the caller reads them. Between two such nodes values stay wide. A node that only moves
/// elements stays wide if its inputs are. `rewrites`: whether rewrites follow. Then large constants are widened by
/// linnet::Cast, by which keep_half_weights finds them.
std::optional<Patch> lower_precision(const Graph& graph, bool rewrites);

}  // namespace linnet
