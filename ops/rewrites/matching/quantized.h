#pragma once

#include <optional>

#include "graph/patch.h"

// What QuantizeLinear and DequantizeLinear of ai.onnx say with constant parameters.
namespace linnet {

/// Of a whole tensor: real = (value - zero) * scale, the scale positive and finite.
struct Quantization {
  DType dtype = DType::kUndefined;
  float scale = 0;
  int32_t zero = 0;

  bool operator==(const Quantization&) const = default;
};

/// What such a node of 8-bit values does; nullopt for any other node, and for parameters per axis or block.
std::optional<Quantization> quantization_of(const Graph& graph, const Node& node);

/// The DequantizeLinear of uint8 with one scale behind an input, else nullptr.
const Node* dequantize_before(const Graph& graph, const Node& node, int input);

/// The QuantizeLinear to uint8 with one scale that alone reads the value, perhaps through a Relu or Clip of float32.
struct QuantizeBehind {
  const Node* quantize = nullptr;
  const Node* activation = nullptr;  ///< may be null
};
std::optional<QuantizeBehind> quantize_behind(const Graph& graph, ValueId value);

/// Adds a scale and a zero point to inputs of internal operators.
void add_quantization(Patch& patch, const Node& for_node, const Quantization& q, std::vector<ValueId>& inputs);
/// The attributes that name the fused clamp; nothing for null.
void set_activation(const Graph& graph, const Node* activation, NodeSpec& spec);

/// Constant weights behind a DequantizeLinear: real = value * scale.
struct QuantizedWeights {
  Tensor values;  ///< int8
  Tensor scale;   ///< float32: one, or one for each index of `axis`
};
/// Those behind an input, of int8 or of uint8 that fits once the zero points are subtracted; nullopt for other inputs.
std::optional<QuantizedWeights> quantized_weights(const Graph& graph, const Node& node, int input, int axis);

}  // namespace linnet
