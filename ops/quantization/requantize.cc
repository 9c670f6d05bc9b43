#include "quantization/requantize.h"

namespace linnet {

ValueId requantized(GraphWriter& graph, ValueId sums, ValueId factor, ValueId zero_point) {
  const auto wide = [&](ValueId x) { return graph.cast(x, DType::kFloat64); };
  const DType dtype = graph.fact(zero_point).dtype;
  const ValueId y = graph.op("Mul", {wide(sums), wide(factor)});
  if (!is_integer(dtype)) return graph.cast(graph.op("Add", {y, wide(zero_point)}), dtype);
  // Integers that can be in range are exact in float32. QuantizeLinear with a scale of 1 saturates the others.
  const ValueId rounded = graph.op("Add", {graph.op("Round", {y}), wide(zero_point)});
  return graph.op("QuantizeLinear", {graph.cast(rounded, DType::kFloat32), graph.scalar(1)},
                  {{"output_dtype", int64_t(dtype)}});
}

}  // namespace linnet
