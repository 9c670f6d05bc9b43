#pragma once

#include <optional>

#include "graph/patch.h"
#include "rewrites/matching/quantization_grid.h"

// Words that rewrites of quantised graphs are written in.
namespace linnet {

/// The linnet::QLinearConv or linnet::QLinearMatMul that gives a value, where it may become one with the only node that
/// reads the value: it has no activation, which would come before; else nullptr.
const Node* open_product(const Graph& graph, ValueId value);

/// The DequantizeLinear of uint8 with one scale behind an input, else nullptr.
const Node* dequantize_before(const Graph& graph, const Node& node, int input);

/// The QuantizeLinear to uint8 with one scale that alone reads the value, perhaps through a Relu or Clip of float32.
struct QuantizeBehind {
  const Node* quantize = nullptr;
  const Node* activation = nullptr;  ///< may be null
};
std::optional<QuantizeBehind> quantize_behind(const Graph& graph, ValueId value);

/// Adds a scale and a zero point to inputs of internal operators.
void add_grid(Patch& patch, const Node& for_node, const ByteGrid& grid, std::vector<ValueId>& inputs);
/// The attributes that name the fused clamp; nothing for null.
void set_activation(const Graph& graph, const Node* activation, NodeSpec& spec);

/// Constant weights behind a DequantizeLinear: real = (value - zero) * scale.
struct QuantizedWeights {
  Tensor values;  ///< int8
  Tensor scale;   ///< float32: one, or one for each index of `axis`
  Tensor zero;    ///< int8, alike; none where the values are centred
};
/// The most terms of a sum of products of bytes and such weights that cannot leave 32 bits.
int64_t most_terms(const QuantizedWeights& weights);
/// Adds their zero points, where there are any, to the inputs of an internal operator.
void add_weight_zero(Patch& patch, const Node& for_node, const QuantizedWeights& weights, std::vector<ValueId>& inputs);
/// Those of constants of int8 or uint8 (zero may be null); nullopt for others, and where a scale is not positive and
/// finite.
std::optional<QuantizedWeights> quantized_weights(const Tensor* x, const Tensor* scale, const Tensor* zero, int axis);
/// The same behind an input of a node, through a DequantizeLinear.
std::optional<QuantizedWeights> quantized_weights(const Graph& graph, const Node& node, int input, int axis);

}  // namespace linnet
