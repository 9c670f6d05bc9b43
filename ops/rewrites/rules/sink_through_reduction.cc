#include <algorithm>

#include "infer/infer.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/sink_transpose.h"

namespace linnet {
namespace {

bool is_reduction(const Node& node) { return node.spec.op_type.starts_with("Reduce") && node.spec.domain.empty(); }

bool reduces_all_spatial(const std::vector<int64_t>& axes, int rank) {
  for (int64_t axis = 2; axis < rank; ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) return false;
  }
  return int(axes.size()) == rank - 2;
}

}  // namespace

// Reductions. With keepdims, the result is channels-last again; without, reducing all spatial axes leaves [N, C].
std::optional<Patch> sink_through_reduction(const Graph& graph, const Node& node) {
  const ValueId source = channels_last_source(graph, node, 0);
  if (source == kNoValue || !is_reduction(node)) return std::nullopt;
  auto axes = reduced_axes(graph, node);
  if (!axes) return std::nullopt;
  const int rank = graph.input_fact(node, 0).rank();
  for (int64_t& axis : *axes) axis = normalize_axis(axis, rank);
  const bool keeps_dims = node.spec.attr_or("keepdims", 1) != 0;
  if (!keeps_dims && !reduces_all_spatial(*axes, rank)) return std::nullopt;
  for (int64_t& axis : *axes) axis = channels_last_axis(int(axis), rank);
  Patch patch(graph);
  NodeSpec spec = node.spec;
  std::vector<ValueId> inputs{source};
  if (spec.has("axes")) {
    spec.attributes["axes"] = *axes;
  } else {
    inputs.push_back(patch.constant(spec.name + ".axes", Tensor::of(*axes)));
  }
  if (keeps_dims) return on_channels_last(graph, node, spec, inputs, std::move(patch));
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
