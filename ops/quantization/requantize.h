#pragma once

#include "expansion/graph_writer.h"

namespace linnet {

/// Adds nodes that compute saturate(round(sums * factor) + zero_point) in the dtype of the zero point. Ties round to
/// even; NaN becomes the least value. For a float8, the result is sums * factor + zero_point rounded to it. The
/// computation is in float64.
/// sums: int32 or float64.
/// factor: float32.
/// zero_point: int8/uint8/float8.
/// All are broadcast.
ValueId requantized(GraphWriter& graph, ValueId sums, ValueId factor, ValueId zero_point);

}  // namespace linnet
