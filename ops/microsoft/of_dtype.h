#pragma once

#include "expansion/graph_writer.h"

namespace linnet {

/// x, cast if it has another dtype.
inline ValueId in_dtype(GraphWriter& graph, ValueId x, DType dtype) {
  return graph.fact(x).dtype == dtype ? x : graph.cast(x, dtype);
}

/// A constant scalar of the dtype of x.
inline ValueId scalar_like(GraphWriter& graph, ValueId x, float value) {
  return in_dtype(graph, graph.scalar(value), graph.fact(x).dtype);
}

inline ValueId times(GraphWriter& graph, ValueId x, float factor) {
  return factor == 1 ? x : graph.op("Mul", {x, scalar_like(graph, x, factor)});
}

}  // namespace linnet
