#include <cmath>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/activation.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantization_grid.h"

namespace linnet {
namespace {

/// Whether the bounds quantise to the lowest and the highest byte, as all values beyond them do.
bool spans_all_bytes(const Range& range, const ByteGrid& grid) {
  const float least = grid.dtype == DType::kInt8 ? -128.0f : 0.0f;
  return std::nearbyint(range.low / grid.scale) + grid.zero_point <= least &&
         std::nearbyint(range.high / grid.scale) + grid.zero_point >= least + 255.0f;
}

}  // namespace

// QuantizeLinear(Relu(x)) -> QuantizeLinear(x), if saturation has the effect of the Relu or Clip.
LINNET_DEFINE_REWRITE(drop_clamp_before_quantization, "QuantizeLinear")(const Graph& graph, const Node& node) {
  const auto grid = byte_grid(graph, node);
  const Node* clamp = grid ? graph.producer(node.inputs[0]) : nullptr;
  const auto activation = clamp ? activation_of(graph, *clamp) : std::nullopt;
  if (!activation || !activation->function->clamp) return std::nullopt;
  if (!spans_all_bytes(activation->function->clamp(activation->alpha, activation->beta), *grid)) return std::nullopt;
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = clamp->inputs[0];
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(node.spec, inputs));
  return patch;
}

}  // namespace linnet
