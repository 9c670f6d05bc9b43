#include <cmath>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/channel_affine.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

/// The input of a node if a DequantizeLinear of uint8 produces it. A Transpose after the DequantizeLinear is moved
/// before it. kNoValue for other inputs.
ValueId dequantized(const Graph& graph, Patch& patch, const Node& node) {
  if (dequantize_before(graph, node, 0)) return node.inputs[0];
  const Node* transpose = producer(graph, node, 0, "Transpose");
  const Node* dequantize = transpose ? dequantize_before(graph, *transpose, 0) : nullptr;
  if (!dequantize) return kNoValue;
  std::vector<ValueId> inputs = dequantize->inputs;
  inputs[0] = patch.add(transpose->spec, {inputs[0]});
  return patch.add(dequantize->spec, inputs);
}

/// Adds the signs of the scales as bytes, with a DequantizeLinear that multiplies them by the magnitudes.
ValueId add_signs(Patch& patch, const Node& node, const std::vector<float>& scale, const Shape& shape) {
  Tensor signs(DType::kInt8, shape), magnitudes(DType::kFloat32, {std::ssize(scale)});
  for (size_t c = 0; c < scale.size(); ++c) {
    signs.data<int8_t>()[c] = int8_t(scale[c] > 0 ? 1 : scale[c] < 0 ? -1 : 0);
    magnitudes.data<float>()[c] = scale[c] == 0 ? 1 : std::abs(scale[c]);
  }
  NodeSpec spec = standard_spec(node, "DequantizeLinear", 13);
  spec.attributes["axis"] = int64_t{0};
  return patch.add(std::move(spec), {patch.constant(node.spec.name + ".sign", signs),
                                     patch.constant(node.spec.name + ".scale", magnitudes)});
}

}  // namespace

// BatchNormalization(DequantizeLinear(x)) -> depthwise 1x1 Conv of the same input. Its weights are the signs of the
// scales as bytes, whose own scales are the magnitudes. So it becomes a product of bytes, with quantised results.
LINNET_DEFINE_REWRITE(convert_quantized_batch_norm, "BatchNormalization")(const Graph& graph, const Node& node) {
  const auto affine = constant_batch_norm(graph, node);
  if (!affine || !affine->finite()) return std::nullopt;
  const Fact& x = graph.input_fact(node, 0);
  if (!x.has_rank() || x.rank() < 3 || x.rank() > 5) return std::nullopt;
  Patch patch(graph);
  const ValueId bytes = dequantized(graph, patch, node);
  if (bytes == kNoValue) return std::nullopt;
  const auto channels = std::ssize(affine->scale);
  Shape shape{channels};
  for (int i = 1; i < x.rank(); ++i) shape.push_back(1);
  NodeSpec spec = standard_spec(node, "Conv", 1);
  spec.attributes["group"] = int64_t{channels};
  const ValueId bias = patch.constant(node.spec.name + ".shift", Tensor::of(affine->shift));
  patch.replace(node.outputs[0], patch.add(spec, {bytes, add_signs(patch, node, affine->scale, shape), bias}));
  return patch;
}

}  // namespace linnet
