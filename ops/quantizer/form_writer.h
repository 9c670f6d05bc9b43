#pragma once

#include "quantizer/grids.h"
#include "quantizer/raise_opset.h"

namespace linnet {

/// Adds nodes of ai.onnx (of the given opset) and com.microsoft after all other nodes of a graph.
class FormWriter {
 public:
  FormWriter(Graph& graph, int64_t opset) : graph_(graph), opset_(opset) {}

  /// Adds DequantizeLinear(QuantizeLinear(x)).
  ValueId on_grid(ValueId x, const ActivationGrid& grid);

  // The following functions add the layer with `x` as its input and return its output, which is called `name`.
  /// Adds the same operator with dequantised weights (and bias). x is on the grid.
  ValueId with_byte_weights(const Layer& layer, const Node& node, ValueId x, const ActivationGrid& grid,
                            const WeightGrid& weight_grid, const std::string& name);
  /// Adds the layer with x on a grid that each run computes.
  ValueId on_dynamic_grid(const Layer& layer, const Node& node, ValueId x, const WeightGrid& weight_grid,
                          const std::string& name);
  /// Adds the layer with 4-bit weights.
  ValueId with_block_weights(const Layer& layer, const Node& node, ValueId x, int64_t block_size,
                             const std::string& name);

 private:
  struct DynamicInput {
    ValueId values, scale, zero;
  };

  /// Returns a constant, the existing one if an equal one exists. So weights that several layers share stay shared.
  ValueId constant(const std::string& name, const Tensor& value);
  ValueId op(const std::string& op_type, std::vector<ValueId> inputs, const std::string& name,
             const Attributes& attributes = {}, const std::string& domain = {});
  ValueId dequantized(const ByteWeights& weights, int axis, const std::string& name);
  const DynamicInput& dynamic_input(ValueId x);
  ValueId with_bias(const Layer& layer, const Node& node, ValueId y, const std::string& name);

  Graph& graph_;
  int64_t opset_;
  std::map<ValueId, DynamicInput> dynamic_inputs_;
  std::multimap<size_t, ValueId> constants_;  // The constants by the hash of their bytes.
};

}  // namespace linnet
