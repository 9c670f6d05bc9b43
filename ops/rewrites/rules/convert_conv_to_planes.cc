#include <algorithm>

#include "conv/conv_algorithm.h"
#include "gemm/accuracy.h"
#include "linnet/shape.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/half_link.h"
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
  const bool exact = pixels < 0 || pays_to_widen(weights.dtype, depth, w[0], pixels);
  if (pointwise && exact && depth <= kLongestSum && may_be(pixels, kLeastPointwisePixels)) return true;
  return depth <= std::min(kMostPlaneDepth, w[0]) && may_be(pixels, kLeastPlanePixels);
}

bool suits(const Graph& graph, const Node& conv, const Fact& y) {
  const Fact& w = graph.input_fact(conv, 1);
  if (!w.constant || conv.inputs.size() > 3 || !y.has_rank()) return false;
  return suits_depthwise(w.shape(), y) || suits_product(conv.spec, w, y);
}

/// A value before or after its Cast between float32 and 16 bits.
struct Converted {
  ValueId value;
  const Node* cast;  ///< null: none
};

/// The value that a node reads, before its Cast if nothing else reads the result.
Converted before_cast(const Graph& graph, const Node& reader) {
  const ValueId value = reader.inputs[0];
  const Node* cast = producer(graph, reader, 0, "Cast");
  if (!cast || half_link(graph, *cast).empty() || graph.only_consumer(value) != &reader) return {value, nullptr};
  return {cast->inputs[0], cast};
}

ValueId add_cast(Patch& patch, const Converted& converted, ValueId value) {
  return converted.cast ? patch.add(converted.cast->spec, {value}) : value;
}

/// The channels-first value that a convolution reads; kNoValue if its input is computed channels-last. Halves are
/// transposed before their Cast.
Converted channels_first_source(const Graph& graph, const Node& conv) {
  if (conv.spec.attr_or("x_channels_first", int64_t{0}) != 0) return {conv.inputs[0], nullptr};
  const Converted x = before_cast(graph, conv);
  const Node* transpose = producer(graph, x.cast ? *x.cast : conv, 0, "Transpose");
  if (!transpose) return {kNoValue, nullptr};
  const auto* perm = transpose->spec.find<std::vector<int64_t>>("perm");
  const bool matches = perm && *perm == perm_to_channels_last(int(perm->size()));
  return {matches ? transpose->inputs[0] : kNoValue, x.cast};
}

}  // namespace

// to_channels_first(linnet::Conv(to_channels_last(x))) -> linnet::PlaneConv(x), if that is faster. Casts to and from 16
// bits may be between them.
LINNET_DEFINE_REWRITE(convert_conv_to_planes, "Transpose")(const Graph& graph, const Node& node) {
  const Converted y = before_cast(graph, node);
  const Node* conv = producer(graph, y.cast ? *y.cast : node, 0, "Conv", kInternalDomain);
  const auto* perm = node.spec.find<std::vector<int64_t>>("perm");
  if (!conv || !perm || *perm != perm_to_channels_first(int(perm->size()))) return std::nullopt;
  const Converted x = channels_first_source(graph, *conv);
  if (x.value == kNoValue || !graph.only_consumer(y.value)) return std::nullopt;
  if (!suits(graph, *conv, graph.fact(node.outputs[0]))) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs = conv->inputs;
  inputs[0] = add_cast(patch, x, x.value);
  NodeSpec spec = internal_spec(*conv, "PlaneConv");
  spec.attributes.erase("x_channels_first");
  patch.replace(node.outputs[0], add_cast(patch, y, patch.add(spec, inputs)));
  return patch;
}

}  // namespace linnet
