#pragma once

#include "quantizer/grids.h"
#include "quantizer/raise_opset.h"

namespace linnet {

/// Adds nodes of ai.onnx, of that opset, and of com.microsoft behind all others of a graph.
class FormWriter {
 public:
  FormWriter(Graph& graph, int64_t opset) : graph_(graph), opset_(opset) {}

  /// DequantizeLinear(QuantizeLinear(x)).
  ValueId on_grid(ValueId x, const ActivationGrid& grid);

  // The layer on `x` in place of its input; `name` becomes that of the output.
  /// The same operator on weights (and a bias) behind a DequantizeLinear; x is on the grid.
  ValueId with_byte_weights(const Layer& layer, const Node& node, ValueId x, const ActivationGrid& grid,
                            const WeightGrid& weight_grid, const std::string& name);
  /// With x on a grid of each run's own.
  ValueId on_dynamic_grid(const Layer& layer, const Node& node, ValueId x, const WeightGrid& weight_grid,
                          const std::string& name);
  /// With 4-bit weights.
  ValueId with_block_weights(const Layer& layer, const Node& node, ValueId x, int64_t block_size,
                             const std::string& name);

 private:
  struct DynamicInput {
    ValueId values, scale, zero;
  };

  /// A constant, the one that is there where an equal one is: weights that several layers share stay shared.
  ValueId constant(const std::string& name, const Tensor& value);
  ValueId op(const std::string& op_type, std::vector<ValueId> inputs, const std::string& name,
             const Attributes& attributes = {}, const std::string& domain = {});
  ValueId dequantized(const ByteWeights& weights, int axis, const std::string& name);
  const DynamicInput& dynamic_input(ValueId x);
  ValueId with_bias(const Layer& layer, const Node& node, ValueId y, const std::string& name);

  Graph& graph_;
  int64_t opset_;
  std::map<ValueId, DynamicInput> dynamic_inputs_;
  std::multimap<size_t, ValueId> constants_;  // by the hash of their bytes
};

}  // namespace linnet
