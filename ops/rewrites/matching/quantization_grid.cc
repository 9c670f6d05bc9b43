#include "rewrites/matching/quantization_grid.h"

#include <cmath>

#include "rewrites/matching/match.h"

namespace linnet {
namespace {

constexpr auto kFloat32Code = int64_t(DType::kFloat32);

std::optional<float> zero_point_of(const Graph& graph, const Node& node) {
  if (optional_input(node, 2) == kNoValue) return 0.0f;
  const Tensor* zero_point = graph.constant_input(node, 2);
  if (!zero_point || zero_point->size() != 1) return std::nullopt;
  return zero_point->dtype() == DType::kInt8 ? float(*zero_point->data<int8_t>()) : float(*zero_point->data<uint8_t>());
}

}  // namespace

std::optional<ByteGrid> byte_grid(const Graph& graph, const Node& node) {
  const bool quantizes = is_op(node, "QuantizeLinear");
  if (!quantizes && !is_op(node, "DequantizeLinear")) return std::nullopt;
  const Fact &x = graph.input_fact(node, 0), &y = graph.fact(node.outputs[0]);
  const DType dtype = (quantizes ? y : x).dtype;
  if (dtype != DType::kUint8 && dtype != DType::kInt8) return std::nullopt;
  if ((quantizes ? x : y).dtype != DType::kFloat32) return std::nullopt;
  if (node.spec.has("precision") && node.spec.attr_or("precision", kFloat32Code) != kFloat32Code) return std::nullopt;
  const std::optional<float> scale = scalar_input(graph, node, 1), zero_point = zero_point_of(graph, node);
  if (!scale || !zero_point || !(*scale > 0) || std::isinf(*scale)) return std::nullopt;
  return ByteGrid{dtype, *scale, *zero_point};
}

}  // namespace linnet
