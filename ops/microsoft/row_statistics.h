#pragma once

#include "microsoft/of_dtype.h"

namespace linnet {

/// The statistics that rows are normalised by: mean and 1 / sqrt(variance + epsilon), with dims of 1 for reduced axes.
struct RowStatistics {
  ValueId mean, inverse_deviation;
};

/// The statistics of x over the axes, in this dtype. Unless `centered`, the mean square replaces the variance.
inline RowStatistics row_statistics(GraphWriter& graph, ValueId x, const std::vector<int64_t>& axes, float epsilon,
                                    bool centered, DType dtype) {
  const ValueId reduced = graph.ints(axes), values = in_dtype(graph, x, dtype);
  const ValueId mean = graph.op("ReduceMean", {values, reduced});
  const ValueId from_mean = centered ? graph.op("Sub", {values, mean}) : values;
  const ValueId square = graph.op("ReduceMean", {graph.op("Mul", {from_mean, from_mean}), reduced});
  const ValueId shifted = graph.op("Add", {square, scalar_like(graph, values, epsilon)});
  return {mean, graph.op("Reciprocal", {graph.op("Sqrt", {shifted})})};
}

}  // namespace linnet
