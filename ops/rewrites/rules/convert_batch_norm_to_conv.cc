#include "rewrites/define_rewrite.h"
#include "rewrites/matching/channel_affine.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"

namespace linnet {

// BatchNormalization(x) -> depthwise 1x1 Conv(x, scale, shift), into which activations fuse. Requires that x is
// channels-last already: otherwise the Transposes would cost more than the fusion gains.
LINNET_DEFINE_REWRITE(convert_batch_norm_to_conv, "BatchNormalization")(const Graph& graph, const Node& node) {
  const auto affine = constant_batch_norm(graph, node);
  if (!affine || channels_last_source(graph, node, 0) == kNoValue) return std::nullopt;
  const Fact& x = graph.input_fact(node, 0);
  if (x.dtype != DType::kFloat32 || !x.has_rank() || x.rank() < 3 || x.rank() > 5) return std::nullopt;
  const auto channels = int64_t(affine->scale.size());
  Shape shape{channels};
  for (int i = 1; i < x.rank(); ++i) shape.push_back(1);
  NodeSpec spec = standard_spec(node, "Conv", 1);
  spec.attributes["group"] = channels;
  Patch patch(graph);
  const ValueId weights = patch.constant(node.spec.name + ".scale", Tensor::of(shape, affine->scale));
  const ValueId bias = patch.constant(node.spec.name + ".shift", Tensor::of(affine->shift));
  patch.replace(node.outputs[0], patch.add(spec, {node.inputs[0], weights, bias}));
  return patch;
}

}  // namespace linnet
