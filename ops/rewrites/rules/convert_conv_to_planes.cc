#include <algorithm>

#include "conv/conv_algorithm.h"
#include "linnet/shape.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// Whether the sums are short (see suits_plane_conv()) and the weights constant.
bool suits(const Graph& graph, const Node& conv) {
  const Fact& w = graph.input_fact(conv, 1);
  if (!w.constant || conv.spec.attr_or("group", int64_t{1}) != 1 || conv.inputs.size() > 3) return false;
  const Shape shape = w.shape();
  return shape.elements(1, shape.rank()) <= std::min(kMostPlaneDepth, shape[0]);
}

bool has_few_pixels(const Fact& y) {
  int64_t pixels = 1;
  for (int axis = 2; axis < y.rank(); ++axis) {
    if (!y.dim(axis).known()) return false;
    pixels = checked_mul(pixels, y.dim(axis).value());
  }
  return pixels < kLeastPlanePixels;
}

/// The channels-first value that a convolution reads; kNoValue if its input is computed channels-last.
ValueId channels_first_source(const Graph& graph, const Node& conv) {
  if (conv.spec.attr_or("x_channels_first", int64_t{0}) != 0) return conv.inputs[0];
  const Node* transpose = producer(graph, conv, 0, "Transpose");
  if (!transpose) return kNoValue;
  const auto* perm = transpose->spec.find<std::vector<int64_t>>("perm");
  return perm && *perm == perm_to_channels_last(int(perm->size())) ? transpose->inputs[0] : kNoValue;
}

}  // namespace

// to_channels_first(linnet::Conv(to_channels_last(x))) -> linnet::PlaneConv(x), if sums are short.
LINNET_DEFINE_REWRITE(convert_conv_to_planes, "Transpose")(const Graph& graph, const Node& node) {
  const Node* conv = producer(graph, node, 0, "Conv", kInternalDomain);
  const auto* perm = node.spec.find<std::vector<int64_t>>("perm");
  if (!conv || !perm || *perm != perm_to_channels_first(int(perm->size()))) return std::nullopt;
  const ValueId x = channels_first_source(graph, *conv);
  const Fact& y = graph.fact(node.outputs[0]);
  if (x == kNoValue || graph.only_consumer(node.inputs[0]) != &node || !suits(graph, *conv)) return std::nullopt;
  if (!y.has_rank() || has_few_pixels(y)) return std::nullopt;
  std::vector<ValueId> inputs = conv->inputs;
  inputs[0] = x;
  NodeSpec spec = internal_spec(*conv, "PlaneConv");
  spec.attributes.erase("x_channels_first");
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
