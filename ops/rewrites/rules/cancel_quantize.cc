#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized.h"
#include "rewrites/rewrite_list.h"

namespace linnet {

// QuantizeLinear(DequantizeLinear(x)) with one scale and zero point, the same ones -> x.
std::optional<Patch> cancel_quantize(const Graph& graph, const Node& node) {
  if (!is_op(node, "QuantizeLinear")) return std::nullopt;
  const Node* dequantize = producer(graph, node, 0, "DequantizeLinear");
  const auto quantization = quantization_of(graph, node);
  if (!dequantize || !quantization || quantization != quantization_of(graph, *dequantize)) return std::nullopt;
  Patch patch(graph);
  patch.replace(node.outputs[0], dequantize->inputs[0]);
  return patch;
}

}  // namespace linnet
