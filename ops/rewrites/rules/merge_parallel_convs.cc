#include <algorithm>
#include <optional>
#include <vector>

#include "linnet/shape.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/channel_affine.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// A Conv with constant weights. A BatchNormalization is one as well, with groups of one channel and windows of one
/// element.
struct Branch {
  const Node* conv = nullptr;  ///< nullptr if not a Conv
  ValueId x = kNoValue;
  Tensor w;     ///< float32[out channels, channels of a group, window...]
  Tensor bias;  ///< float32[out channels], or empty
  int64_t groups = 1;
  std::vector<int64_t> strides, dilations, begins;  ///< of each spatial axis

  int64_t out_channels() const { return w.dim(0); }
  int64_t in_channels() const { return checked_mul(w.dim(1), groups); }
};

std::optional<Branch> conv_branch(const Graph& graph, const Node& conv) {
  const Tensor* w = constant_weights(graph, conv);
  const Tensor* bias = graph.constant_input(conv, 2);
  if (!w || w->rank() < 3 || w->size() == 0 || (optional_input(conv, 2) != kNoValue && !bias)) return std::nullopt;
  if (conv.spec.attr_or("auto_pad", "NOTSET") != "NOTSET") return std::nullopt;
  const auto axes = size_t(w->rank() - 2);
  const std::vector<int64_t> ones(axes, 1), none(axes + axes, 0);
  Branch branch{&conv,
                conv.inputs[0],
                as_float32(*w),
                bias ? as_float32(*bias) : Tensor(),
                conv.spec.attr_or("group", int64_t{1}),
                conv.spec.attr_or("strides", ones),
                conv.spec.attr_or("dilations", ones),
                conv.spec.attr_or("pads", none)};
  const bool complete = branch.strides.size() == axes && branch.dilations.size() == axes;
  if (!complete || branch.begins.size() != none.size()) return std::nullopt;
  branch.begins.resize(axes);
  if (*std::min_element(branch.begins.begin(), branch.begins.end()) < 0) return std::nullopt;
  return branch;
}

std::optional<Branch> batch_norm_branch(const Graph& graph, const Node& node) {
  const auto affine = constant_batch_norm(graph, node);
  const Fact& x = graph.input_fact(node, 0);
  if (!affine || !affine->finite() || x.dtype != DType::kFloat32 || !x.has_rank() || x.rank() < 3) return std::nullopt;
  const auto channels = int64_t(affine->scale.size()), axes = int64_t{x.rank()} - 2;
  Shape shape{channels, 1};
  for (int64_t i = 0; i < axes; ++i) shape.push_back(1);
  const std::vector<int64_t> ones(size_t(axes), 1), none(size_t(axes), 0);
  return Branch{
      nullptr, node.inputs[0], Tensor::of(shape, affine->scale), Tensor::of(affine->shift), channels, ones, ones, none};
}

std::optional<Branch> branch_behind(const Graph& graph, ValueId value) {
  if (const Node* conv = single_use(graph, value, "Conv")) return conv_branch(graph, *conv);
  const Node* norm = single_use(graph, value, "BatchNormalization");
  return norm ? batch_norm_branch(graph, *norm) : std::nullopt;
}

/// The position on each axis at which the window of `part` begins in that of `whole`; nullopt if it does not fit
/// inside, or the sum of both products is not a product with weights of the shape of `whole`.
std::optional<std::vector<int64_t>> window_within(const Branch& whole, const Branch& part) {
  const bool alike = whole.x == part.x && whole.strides == part.strides && whole.w.rank() == part.w.rank() &&
                     whole.out_channels() == part.out_channels() && whole.in_channels() == part.in_channels();
  if (!alike || whole.groups < 1 || part.groups % whole.groups != 0) return std::nullopt;
  std::vector<int64_t> offsets;
  for (size_t axis = 0; axis < whole.strides.size(); ++axis) {
    const int64_t size = part.w.dim(int(axis) + 2), dilation = whole.dilations[axis];
    const int64_t before = whole.begins[axis] - part.begins[axis];
    if (dilation < 1 || before < 0 || before % dilation != 0) return std::nullopt;
    if (size > 1 && part.dilations[axis] != dilation) return std::nullopt;
    if (size > whole.w.dim(int(axis) + 2) - before / dilation) return std::nullopt;
    offsets.push_back(before / dilation);
  }
  return offsets;
}

/// The flat index in `whole` of element `value` of a window that begins at `offsets`.
int64_t place_within(const Shape& whole, const Shape& part, const std::vector<int64_t>& offsets, int64_t value) {
  int64_t place = 0, below = 1;
  for (int axis = part.rank() - 1; axis >= 2; --axis) {
    place += (value % part[axis] + offsets[size_t(axis - 2)]) * below;
    value /= part[axis];
    below *= whole[axis];
  }
  return place;
}

/// The weights of `whole` plus those of `part`, which may have more groups.
Tensor sum_of_weights(const Branch& whole, const Branch& part, const std::vector<int64_t>& offsets) {
  Tensor sum = whole.w.clone();
  const Shape &to = whole.w.shape(), &from = part.w.shape();
  const int64_t window = from.elements(2, from.rank()), whole_window = to.elements(2, to.rank());
  const int64_t groups = part.groups / whole.groups;  // groups of `part` in one group of `whole`
  const float* w = part.w.data<float>();
  for (int64_t out = 0; out < from[0]; ++out) {
    const int64_t first = checked_mul(out / (from[0] / part.groups) % groups, from[1]);
    for (int64_t c = 0; c < from[1]; ++c) {
      float* y = sum.data<float>() + (out * to[1] + first + c) * whole_window;
      for (int64_t i = 0; i < window; ++i) y[place_within(to, from, offsets, i)] += *w++;
    }
  }
  return sum;
}

Tensor sum_of_biases(const Branch& a, const Branch& b) {
  if (!a.bias) return b.bias;
  Tensor sum = a.bias.clone();
  for (int64_t i = 0; b.bias && i < sum.size(); ++i) sum.data<float>()[i] += b.bias.data<float>()[i];
  return sum;
}

}  // namespace

// Add(Conv(x, v), Conv(x, w)) -> Conv(x, v + w), if one window fits inside the other, and its groups are as large or
// larger. A BatchNormalization of x likewise. Such blocks were trained with several branches, and exported without
// merging them.
// Sources: Ding et al., "RepVGG", 2021, arXiv:2101.03697; MobileOne.
LINNET_DEFINE_REWRITE(merge_parallel_convs, "Add")(const Graph& graph, const Node& node) {
  if (!same_shape(graph.input_fact(node, 0), graph.input_fact(node, 1))) return std::nullopt;
  const auto a = branch_behind(graph, node.inputs[0]), b = branch_behind(graph, node.inputs[1]);
  if (!a || !b) return std::nullopt;
  for (const auto& [whole, part] : {std::pair(&*a, &*b), std::pair(&*b, &*a)}) {
    const auto offsets = whole->conv ? window_within(*whole, *part) : std::nullopt;
    if (!offsets) continue;
    const Node& conv = *whole->conv;
    Patch patch(graph);
    std::vector<ValueId> inputs{conv.inputs[0],
                                patch.constant(conv.spec.name + ".weight", sum_of_weights(*whole, *part, *offsets))};
    const Tensor bias = sum_of_biases(*whole, *part);
    if (bias) inputs.push_back(patch.constant(conv.spec.name + ".bias", bias));
    patch.replace(node.outputs[0], patch.add(conv.spec, inputs));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
