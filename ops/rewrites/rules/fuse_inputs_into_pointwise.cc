#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/pointwise.h"
#include "rewrites/matching/product.h"

namespace linnet {
namespace {

/// The inputs of a PointwiseConv that replace the input of a pointwise linnet::Conv.
struct Source {
  ValueId x;
  ValueId scale = kNoValue, shift = kNoValue;
  bool relu = false;
};

const Node* only_producer(const Graph& graph, ValueId value, const Node& reader) {
  return graph.only_consumer(value) == &reader ? graph.producer(value) : nullptr;
}

/// Whether a node is a normalisation: a depthwise convolution of single pixels, with a bias, and Relu or no activation.
bool is_affine(const Graph& graph, const Node& node) {
  const std::string activation = node.spec.attr_or("activation", "");
  return is_depthwise_conv(graph, node) && has_pixel_windows(graph, node) && node.inputs.size() == 3 &&
         node.inputs[2] != kNoValue && (activation.empty() || activation == "Relu");
}

/// Whether `scale` has one value per image and channel of x.
bool scales_channels(const Fact& x, const Fact& scale) {
  if (!x.has_rank() || !scale.has_rank() || x.rank() != scale.rank() || x.rank() < 3) return false;
  const int last = x.rank() - 1;
  for (int i = 1; i < last; ++i) {
    if (!certainly_equal(scale.dim(i), 1)) return false;
  }
  return certainly_equal(scale.dim(0), x.dim(0)) && certainly_equal(scale.dim(last), x.dim(last));
}

/// Finds the value before the scaling of a pointwise convolution's input, through one node at most.
Source scaled_source(const Graph& graph, const Node& conv, Patch& patch) {
  Source result{conv.inputs[0]};
  const Node* node = only_producer(graph, result.x, conv);
  if (!node) return result;
  if (is_affine(graph, *node)) {
    const Tensor& w = graph.fact(node->inputs[1]).constant;
    result.x = node->inputs[0];
    result.scale = patch.constant(node->spec.name + ".scale", w.reshaped(Shape{w.shape()[0]}));
    result.shift = node->inputs[2];
    result.relu = node->spec.attr_or("activation", "") == "Relu";
  } else if (is_op(*node, "Mul")) {
    for (size_t i = 0; i < 2; ++i) {
      if (!scales_channels(graph.fact(node->inputs[i]), graph.fact(node->inputs[1 - i]))) continue;
      result.x = node->inputs[i];
      result.scale = node->inputs[1 - i];
      break;
    }
  }
  return result;
}

}  // namespace

// linnet::Conv(concat(x...) * scale + shift) of single pixels -> PointwiseConv, which scales and concatenates pixels as
// it reads them: squeeze-and-excitation, normalisation before a convolution, concatenation.
LINNET_DEFINE_REWRITE(fuse_inputs_into_pointwise, internal_op("Conv"))(const Graph& graph, const Node& node) {
  if (!is_pointwise_conv(graph, node) || has_slope(node)) return std::nullopt;
  Patch patch(graph);
  const Source source = scaled_source(graph, node, patch);
  std::vector<ValueId> tensors{source.x};
  const Node& reader = source.x == node.inputs[0] ? node : *graph.producer(node.inputs[0]);
  const Node* concat = only_producer(graph, source.x, reader);
  if (concat && concatenates_channels(graph, *concat)) tensors = concat->inputs;
  if (source.scale == kNoValue && tensors.size() == 1) return std::nullopt;

  NodeSpec spec = internal_spec(node, "PointwiseConv");
  spec.attributes = activation_attributes(node);
  spec.attributes["relu"] = int64_t{source.relu};
  std::vector<ValueId> inputs{node.inputs[1], optional_input(node, 2), optional_input(node, 3), source.scale,
                              source.shift};
  inputs.insert(inputs.end(), tensors.begin(), tensors.end());
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
