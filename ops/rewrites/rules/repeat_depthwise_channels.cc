#include <optional>
#include <vector>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

// With more filters per channel, the results of one channel fill enough of a vector.
constexpr int64_t kMostFilters = 4;

/// The number of filters per channel of a depthwise convolution; 1 for all other convolutions.
int64_t filters_per_channel(const Tensor& w, int64_t groups) {
  return groups > 1 && w.rank() > 2 && w.dim(1) == 1 && w.dim(0) % groups == 0 ? w.dim(0) / groups : 1;
}

/// The index of every channel, repeated consecutively.
Tensor repeated_channels(int64_t channels, int64_t times) {
  const int64_t all = checked_mul(channels, times);
  std::vector<int64_t> result;
  for (int64_t i = 0; i < all; ++i) result.push_back(i / times);
  return Tensor::of(result);
}

}  // namespace

// linnet::Conv(x) with a few filters per channel of x -> linnet::Conv(Gather(x)) with one filter per repeated channel,
// because vectors hold channels.
LINNET_DEFINE_REWRITE(repeat_depthwise_channels, internal_op("Conv"))(const Graph& graph, const Node& node) {
  const Tensor* w = constant_weights(graph, node);
  const Fact& x = graph.input_fact(node, 0);
  if (!w || !x.has_rank() || node.spec.attr_or("x_channels_first", int64_t{0}) != 0) return std::nullopt;
  const int64_t groups = node.spec.attr_or("group", int64_t{1}), filters = filters_per_channel(*w, groups);
  if (filters < 2 || filters > kMostFilters) return std::nullopt;
  Patch patch(graph);
  const ValueId channels = patch.constant(node.spec.name + ".channels", repeated_channels(groups, filters));
  NodeSpec gather = standard_spec(node, "Gather", 13);
  gather.attributes = {{"axis", int64_t{x.rank() - 1}}};
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = patch.add(gather, {inputs[0], channels});
  NodeSpec spec = node.spec;
  spec.attributes["group"] = w->dim(0);
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
