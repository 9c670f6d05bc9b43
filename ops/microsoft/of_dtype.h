#pragma once

#include "expansion/graph_writer.h"

namespace linnet {

/// x, cast where it has another dtype.
inline ValueId in_dtype(GraphWriter& graph, ValueId x, DType dtype) {
  return graph.fact(x).dtype == dtype ? x : graph.cast(x, dtype);
}

/// A constant scalar of the dtype that x has.
inline ValueId scalar_like(GraphWriter& graph, ValueId x, float value) {
  return in_dtype(graph, graph.scalar(value), graph.fact(x).dtype);
}

inline ValueId times(GraphWriter& graph, ValueId x, float factor) {
  return factor == 1 ? x : graph.op("Mul", {x, scalar_like(graph, x, factor)});
}

/// f(x), of float32 where x has 16 bits, so that neither constants nor what lies in between are rounded to these.
template <class F>
ValueId widened(GraphWriter& graph, ValueId x, F f) {
  const DType dtype = graph.fact(x).dtype;
  return in_dtype(graph, f(is_half(dtype) ? graph.cast(x, DType::kFloat32) : x), dtype);
}

}  // namespace linnet
