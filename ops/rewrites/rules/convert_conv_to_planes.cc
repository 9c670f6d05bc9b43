#include <algorithm>

#include "conv/conv_algorithm.h"
#include "gemm/accuracy.h"
#include "linnet/shape.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// The number of elements of a channels-first value's pixel axes from `axis` on; -1 if it is not known.
int64_t known_pixels(const Fact& y, int axis) {
  int64_t pixels = 1;
  for (; axis < y.rank(); ++axis) {
    if (!y.dim(axis).known()) return -1;
    pixels = checked_mul(pixels, y.dim(axis).value());
  }
  return pixels;
}

/// Whether a length, which is negative if it is not known, may be at least `least`.
bool may_be(int64_t length, int64_t least) { return length < 0 || length >= least; }

/// Whether groups have one input channel and windows several pixels (see suits_plane_depthwise()).
bool suits_depthwise(const Shape& w, const Fact& y) {
  return w.rank() <= 4 && w[1] == 1 && w.elements(2, w.rank()) > 1 &&
         may_be(known_pixels(y, y.rank() - 1), kLeastPlaneWidth);
}

/// Whether all numbers of a list of an attribute are `value`.
bool all_are(const NodeSpec& spec, const std::string& attribute, int64_t value) {
  const auto* list = spec.find<std::vector<int64_t>>(attribute);
  return !list || std::ranges::all_of(*list, [value](int64_t i) { return i == value; });
}

/// Whether sums are short, or windows are single pixels (see suits_plane_conv()).
bool suits_product(const NodeSpec& conv, const Fact& weights, const Fact& y) {
  if (conv.attr_or("group", int64_t{1}) != 1) return false;
  const Shape w = weights.shape();
  const int64_t depth = w.elements(1, w.rank()), pixels = known_pixels(y, 2);
  const bool pointwise = depth == w[1] && all_are(conv, "strides", 1) && all_are(conv, "pads", 0);
  if (pointwise && weights.dtype == DType::kFloat32 && depth <= kLongestSum && may_be(pixels, kLeastPointwisePixels))
    return true;
  return depth <= std::min(kMostPlaneDepth, w[0]) && may_be(pixels, kLeastPlanePixels);
}

bool suits(const Graph& graph, const Node& conv, const Fact& y) {
  const Fact& w = graph.input_fact(conv, 1);
  if (!w.constant || conv.inputs.size() > 3 || !y.has_rank()) return false;
  return suits_depthwise(w.shape(), y) || suits_product(conv.spec, w, y);
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

// to_channels_first(linnet::Conv(to_channels_last(x))) -> linnet::PlaneConv(x), if that is faster.
LINNET_DEFINE_REWRITE(convert_conv_to_planes, "Transpose")(const Graph& graph, const Node& node) {
  const Node* conv = producer(graph, node, 0, "Conv", kInternalDomain);
  const auto* perm = node.spec.find<std::vector<int64_t>>("perm");
  if (!conv || !perm || *perm != perm_to_channels_first(int(perm->size()))) return std::nullopt;
  const ValueId x = channels_first_source(graph, *conv);
  if (x == kNoValue || graph.only_consumer(node.inputs[0]) != &node) return std::nullopt;
  if (!suits(graph, *conv, graph.fact(node.outputs[0]))) return std::nullopt;
  std::vector<ValueId> inputs = conv->inputs;
  inputs[0] = x;
  NodeSpec spec = internal_spec(*conv, "PlaneConv");
  spec.attributes.erase("x_channels_first");
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
