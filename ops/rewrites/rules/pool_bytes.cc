#include <algorithm>

#include "pool/window_pool.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantization_grid.h"

namespace linnet {
namespace {

bool is_in(const Node& node, std::string_view op_type, bool internal_only = false) {
  return is_op(node, op_type, kInternalDomain) || (!internal_only && is_op(node, op_type));
}

/// The number of pixels of an image; -1 if unknown.
int64_t pixels(const Fact& x, bool channels_last) {
  if (!x.has_rank() || x.rank() < 3) return -1;
  int64_t result = 1;
  for (int d = 0; d < x.rank() - 2; ++d) {
    const Dim& dim = x.dim(d + (channels_last ? 1 : 2));
    if (!dim.known()) return -1;
    result = checked_mul(result, dim.value());
  }
  return result;
}

/// Whether every window contains data; the maximum of a window without data is -inf, which no byte represents.
bool windows_meet_data(const Graph& graph, const Node& node) {
  const auto* dilations = node.spec.find<std::vector<int64_t>>("dilations");
  const bool adjacent = !dilations || std::ranges::count(*dilations, 1) == std::ssize(*dilations);
  return adjacent && pixels(graph.input_fact(node, 0), !node.spec.domain.empty()) > 0;
}

std::optional<Patch> dequantize_behind(const Graph& graph, const Node& node, const Node& dequantize) {
  if (node.outputs.size() > 1 || !windows_meet_data(graph, node)) return std::nullopt;
  Patch patch(graph);
  NodeSpec spec = node.spec;
  if (spec.domain.empty()) spec.opset = std::max<int64_t>(12, spec.opset);  // the first opset that supports bytes
  std::vector<ValueId> inputs = dequantize.inputs;
  inputs[0] = patch.add(spec, {inputs[0]});
  patch.replace(node.outputs[0], patch.add(dequantize.spec, inputs));
  return patch;
}

std::optional<Patch> mean_of_bytes(const Graph& graph, const Node& node, const Node& dequantize, const ByteGrid& grid) {
  const int64_t size = pixels(graph.input_fact(node, 0), true);
  if (size < 0 || size > kMostByteTaps) return std::nullopt;
  Patch patch(graph);
  NodeSpec spec = node.spec;
  spec.attributes["x_scale"] = grid.scale;
  spec.attributes["x_zero_point"] = int64_t(grid.zero_point);
  patch.replace(node.outputs[0], patch.add(spec, {dequantize.inputs[0]}));
  return patch;
}

bool is_mean_of_bytes(const Node& node) {
  const bool mean = is_op(node, "AveragePool", kInternalDomain) || is_op(node, "GlobalAveragePool", kInternalDomain);
  return mean && node.spec.has("x_scale") && !node.spec.has("y_scale");
}

}  // namespace

// QuantizeLinear(channels-last AveragePool(x)) of bytes x -> AveragePool(x) with the scale of y as an attribute.
LINNET_DEFINE_REWRITE(quantize_in_pool, "QuantizeLinear")(const Graph& graph, const Node& node) {
  const Node* pool = graph.producer(node.inputs[0]);
  const auto grid = pool ? byte_grid(graph, node) : std::nullopt;
  if (!grid || !is_mean_of_bytes(*pool) || graph.only_consumer(pool->outputs[0]) != &node) return std::nullopt;
  if (graph.input_fact(*pool, 0).dtype != grid->dtype) return std::nullopt;
  Patch patch(graph);
  NodeSpec spec = pool->spec;
  spec.attributes["y_scale"] = grid->scale;
  spec.attributes["y_zero_point"] = int64_t(grid->zero_point);
  patch.replace(node.outputs[0], patch.add(spec, pool->inputs));
  return patch;
}

// MaxPool(DequantizeLinear(x)) -> DequantizeLinear(MaxPool(x)): the largest byte represents the largest value.
// Channels-last AveragePool(DequantizeLinear(x)) -> AveragePool(x) with the scale of x as an attribute.
LINNET_DEFINE_REWRITE(pool_bytes, "MaxPool", internal_op("MaxPool"), "GlobalMaxPool", internal_op("GlobalMaxPool"),
                      internal_op("AveragePool"), internal_op("GlobalAveragePool"))
(const Graph& graph, const Node& node) {
  const bool largest = is_in(node, "MaxPool") || is_in(node, "GlobalMaxPool");
  if (!largest && !is_in(node, "AveragePool", true) && !is_in(node, "GlobalAveragePool", true)) return std::nullopt;
  const Node* dequantize = producer(graph, node, 0, "DequantizeLinear");
  const auto grid = dequantize ? byte_grid(graph, *dequantize) : std::nullopt;
  if (!grid) return std::nullopt;
  return largest ? dequantize_behind(graph, node, *dequantize) : mean_of_bytes(graph, node, *dequantize, *grid);
}

}  // namespace linnet
