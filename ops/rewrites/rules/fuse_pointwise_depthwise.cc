#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/pointwise.h"

namespace linnet {
namespace {

constexpr int64_t kMostDepth = 512;  // of a product that is summed in one block

constexpr int64_t kLeastPointwiseBytes = 2 << 20;  // of the intermediate image; fewer stay in the caches anyway
constexpr int64_t kLeastWidth = 24;                // of a row, which is computed separately

bool is_large(const Fact& between) {
  if (!between.has_rank() || between.rank() != 4) return false;
  return image_bytes(between).value_or(0) >= kLeastPointwiseBytes && between.dim(2).value() >= kLeastWidth;
}

bool has_residual_or_slope(const Node& conv) { return conv.inputs.size() > 3; }

}  // namespace

// A depthwise linnet::Conv after a pointwise one -> PointwiseDepthwiseConv. The intermediate tensor, often the largest
// of the network, never leaves the caches.
LINNET_DEFINE_REWRITE(fuse_pointwise_depthwise, internal_op("Conv"))(const Graph& graph, const Node& node) {
  if (!is_depthwise_conv(graph, node) || has_residual_or_slope(node)) return std::nullopt;
  const Node* pointwise = producer(graph, node, 0, "Conv", kInternalDomain);
  if (!pointwise || !is_pointwise_conv(graph, *pointwise) || has_residual_or_slope(*pointwise)) return std::nullopt;
  const Shape& w = *constant_conv_weights(graph, *pointwise);
  if (w[1] > kMostDepth || graph.only_consumer(node.inputs[0]) != &node) return std::nullopt;
  if (!is_large(graph.fact(node.inputs[0]))) return std::nullopt;
  NodeSpec spec = internal_spec(node, "PointwiseDepthwiseConv");
  spec.attributes.merge(activation_attributes(*pointwise, "inner_"));
  const std::vector<ValueId> inputs{pointwise->inputs[0], pointwise->inputs[1], node.inputs[1],
                                    optional_input(*pointwise, 2), optional_input(node, 2)};
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
