#pragma once

#include "expansion/graph_writer.h"

namespace linnet {

/// saturate(round(sums * factor) + zero_point) in the dtype of the zero point, ties to even, NaN as the least; for a
/// float8, sums * factor + zero_point rounded into it. Computed in float64.
/// sums: int32 or float64.   factor: float32.   zero_point: int8/uint8/float8. All are broadcast.
ValueId requantized(GraphWriter& graph, ValueId sums, ValueId factor, ValueId zero_point);

}  // namespace linnet
