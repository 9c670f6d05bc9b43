#pragma once

#include <optional>

#include "graph/patch.h"
#include "rewrites/matching/quantization_grid.h"

// Common helpers of rewrites of quantised graphs.
namespace linnet {

/// The linnet::QLinearConv or linnet::QLinearMatMul that produces a value, if the only node that reads the value may be
/// fused into it; else nullptr. It has no activation, which would have to be applied before that node.
const Node* open_product(const Graph& graph, ValueId value);

/// The DequantizeLinear of uint8 with one scale that produces an input, else nullptr.
const Node* dequantize_before(const Graph& graph, const Node& node, int input);

/// A QuantizeLinear to uint8 with one scale that is the only reader of a value, possibly after a Relu or Clip of
/// float32.
struct QuantizeBehind {
  const Node* quantize = nullptr;
  const Node* activation = nullptr;  ///< may be null
};
std::optional<QuantizeBehind> quantize_behind(const Graph& graph, ValueId value);

/// Appends the scale and the zero point of a grid to the inputs of an internal operator.
void add_grid(Patch& patch, const Node& for_node, const ByteGrid& grid, std::vector<ValueId>& inputs);
/// Sets the attributes of a fused clamp; none if `activation` is null.
void set_activation(const Graph& graph, const Node* activation, NodeSpec& spec);

/// Constant weights that a DequantizeLinear widens: real = (value - zero) * scale.
struct QuantizedWeights {
  Tensor values;  ///< int8
  Tensor scale;   ///< float32: one, or one for each index of `axis`
  Tensor zero;    ///< int8: one, or one for each index of `axis`; empty if the values are centred
};
/// The largest number of terms for which a sum of products of bytes and these weights fits in 32 bits.
int64_t most_terms(const QuantizedWeights& weights);
/// Appends the weights' zero points, if any, to the inputs of an internal operator.
void add_weight_zero(Patch& patch, const Node& for_node, const QuantizedWeights& weights, std::vector<ValueId>& inputs);
/// The weights in constants of int8 or uint8 (zero may be null); nullopt for other dtypes, and if a scale is not
/// positive and finite.
std::optional<QuantizedWeights> quantized_weights(const Tensor* x, const Tensor* scale, const Tensor* zero, int axis);
/// The weights that a DequantizeLinear widens for an input of a node.
std::optional<QuantizedWeights> quantized_weights(const Graph& graph, const Node& node, int input, int axis);

}  // namespace linnet
