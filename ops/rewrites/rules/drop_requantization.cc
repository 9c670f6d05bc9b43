#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantization_grid.h"

namespace linnet {
namespace {

/// Whether differences of bytes times the scale neither overflow nor lose bits.
bool is_exact(float scale) { return scale > 0x1p-100f && scale < 0x1p100f; }

}  // namespace

// QuantizeLinear(DequantizeLinear(x)) -> x, if both have the same scale and zero point.
LINNET_DEFINE_REWRITE(drop_requantization, "QuantizeLinear")(const Graph& graph, const Node& node) {
  const Node* dequantize = producer(graph, node, 0, "DequantizeLinear");
  const auto grid = dequantize ? byte_grid(graph, node) : std::nullopt;
  if (!grid || !is_exact(grid->scale) || byte_grid(graph, *dequantize) != grid) return std::nullopt;
  Patch patch(graph);
  patch.replace(node.outputs[0], dequantize->inputs[0]);
  return patch;
}

}  // namespace linnet
