#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/pointwise.h"
#include "rewrites/matching/product.h"

namespace linnet {
namespace {

constexpr int64_t kLeastDepthwiseBytes = 256 << 10;  // of the intermediate image; fewer stay in the caches anyway

}  // namespace

// A pointwise linnet::Conv after a depthwise one -> DepthwisePointwiseConv, whose intermediate values never leave the
// caches.
LINNET_DEFINE_REWRITE(fuse_depthwise_pointwise, internal_op("Conv"))(const Graph& graph, const Node& node) {
  if (!is_pointwise_conv(graph, node) || has_slope(node)) return std::nullopt;
  const Node* depthwise = producer(graph, node, 0, "Conv", kInternalDomain);
  if (!depthwise || !is_depthwise_conv(graph, *depthwise) || has_pixel_windows(graph, *depthwise)) return std::nullopt;
  if (depthwise->inputs.size() > 3) return std::nullopt;
  const Fact& between = graph.fact(node.inputs[0]);
  if (graph.only_consumer(node.inputs[0]) != &node || image_bytes(between).value_or(0) < kLeastDepthwiseBytes)
    return std::nullopt;
  NodeSpec spec = internal_spec(node, "DepthwisePointwiseConv");
  spec.attributes = depthwise->spec.attributes;
  for (const auto& [name, value] : activation_attributes(*depthwise)) spec.attributes.erase(name);
  spec.attributes.merge(activation_attributes(*depthwise, "inner_"));
  spec.attributes.merge(activation_attributes(node));
  Patch patch(graph);
  patch.replace(node.outputs[0],
                patch.add(spec, {depthwise->inputs[0], depthwise->inputs[1], node.inputs[1],
                                 optional_input(*depthwise, 2), optional_input(node, 2), optional_input(node, 3)}));
  return patch;
}

}  // namespace linnet
