#include <algorithm>

#include "partition/parts.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

/// One spatial axis of a ConvTranspose as a convolution that computes the `stride` phases of the outputs. Before pads
/// cut some off, output q * stride + phase is the sum over taps of input q - tap times kernel position tap * stride +
/// phase.
struct PhaseAxis {
  int64_t stride, kernel, taps;
  int64_t pad_begin, pad_end;  ///< of the convolution
  int64_t cut_begin, cut_end;  ///< excess outputs, fewer than stride

  int64_t phase(int64_t position) const { return position % stride; }
  /// The convolution's tap for a position of the kernel.
  int64_t tap(int64_t position) const { return taps - 1 - position / stride; }
};

int64_t value_at(const Node& node, const char* attribute, size_t i, int64_t fallback) {
  const auto* list = node.spec.find<std::vector<int64_t>>(attribute);
  return list && i < list->size() ? (*list)[i] : fallback;
}

/// Axis i of a ConvTranspose of images; nullopt if pads are wider than the kernel, or attributes are not supported.
std::optional<PhaseAxis> phase_axis(const Node& node, size_t i, int64_t kernel) {
  const bool padded = node.spec.attr_or("auto_pad", "NOTSET") == "NOTSET";
  const int64_t begin = padded ? value_at(node, "pads", i, 0) : 0, end = padded ? value_at(node, "pads", i + 2, 0) : 0;
  const int64_t stride = value_at(node, "strides", i, 1), more = value_at(node, "output_padding", i, 0);
  const auto within = [&](int64_t value) { return value >= 0 && value <= kernel; };
  if (!within(begin) || !within(end) || !within(more) || !within(stride) || stride < 2) return {};
  if (value_at(node, "dilations", i, 1) != 1) return {};
  const int64_t taps = ceil_div(kernel + std::max<int64_t>(more - end, 0), stride);
  const int64_t excess = checked_mul(taps, stride) - kernel - more + end;
  const int64_t pad_begin = taps - 1 - begin / stride, pad_end = taps - 1 - excess / stride;
  if (pad_begin < 0 || pad_end < 0) return {};
  return PhaseAxis{stride, kernel, taps, pad_begin, pad_end, begin % stride, excess % stride};
}

/// Whether few weights of the convolution, less than a third, are zeros that no kernel position provides. Only then are
/// products of bytes faster than those of floats with the original kernel.
bool few_zeros(const PhaseAxis& height, const PhaseAxis& width) {
  const int64_t weights = checked_mul(checked_mul(height.taps, height.stride), checked_mul(width.taps, width.stride));
  return checked_mul(2, weights) < checked_mul(3, checked_mul(height.kernel, width.kernel));
}

/// The axes of a ConvTranspose of images with one group; nullopt for other nodes.
std::optional<std::vector<PhaseAxis>> phase_axes(const Node& node, const Shape& w) {
  const std::string auto_pad = node.spec.attr_or("auto_pad", "NOTSET");
  if (w.rank() != 4 || node.spec.attr_or("group", int64_t{1}) != 1 || node.spec.has("output_shape")) return {};
  if (auto_pad != "NOTSET" && auto_pad != "VALID") return {};
  const auto height = phase_axis(node, 0, w[2]), width = phase_axis(node, 1, w[3]);
  if (!height || !width || height->stride != width->stride || !few_zeros(*height, *width)) return {};
  return std::vector{*height, *width};
}

/// The number of phases of both axes.
int64_t phases_of(const std::vector<PhaseAxis>& axes) { return checked_mul(axes[0].stride, axes[1].stride); }

/// Rearranges weights [C, O, k1, k2] to [phase * O, C, taps1, taps2].
Tensor phase_weights(const Tensor& w, const std::vector<PhaseAxis>& axes) {
  const PhaseAxis &height = axes[0], &width = axes[1];
  const int64_t channels = w.shape()[0], outputs = w.shape()[1];
  Tensor result(DType::kInt8, {checked_mul(phases_of(axes), outputs), channels, height.taps, width.taps});
  std::fill_n(result.data<int8_t>(), result.size(), int8_t{0});
  const int8_t* from = w.data<int8_t>();
  int8_t* to = result.data<int8_t>();
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t y = 0; y < height.kernel; ++y) {
        for (int64_t x = 0; x < width.kernel; ++x) {
          to[((((height.phase(y) * width.stride + width.phase(x)) * outputs + o) * channels + c) * height.taps +
              height.tap(y)) *
                 width.taps +
             width.tap(x)] = *from++;
        }
      }
    }
  }
  return result;
}

/// A vector concatenated with itself; a single element unchanged.
Tensor repeated(const Tensor& x, int64_t times) {
  if (x.size() == 1) return x;
  Tensor result(x.dtype(), {checked_mul(x.size(), times)});
  for (int64_t i = 0; i < times; ++i) {
    std::copy_n(static_cast<const std::byte*>(x.raw()), x.bytes(),
                static_cast<std::byte*>(result.raw()) + i * x.bytes());
  }
  return result;
}

ValueId add_dequantize(Patch& patch, const Node& node, std::vector<ValueId> inputs) {
  NodeSpec spec = standard_spec(node, "DequantizeLinear", 13);
  spec.attributes["axis"] = int64_t{0};
  return patch.add(std::move(spec), std::move(inputs));
}

/// Adds the bias repeated for all phases; kNoValue if it is not constant.
ValueId add_bias(const Graph& graph, Patch& patch, const Node& node, int64_t phases) {
  const auto constant = [&](const Tensor& x) { return patch.constant(node.spec.name + ".b", repeated(x, phases)); };
  if (const Tensor* bias = graph.constant_input(node, 2)) return bias->size() > 1 ? constant(*bias) : kNoValue;
  const Node* dequantize = producer(graph, node, 2, "DequantizeLinear");
  if (!dequantize) return kNoValue;
  std::vector<ValueId> inputs;
  for (int i = 0; i < int(dequantize->inputs.size()); ++i) {
    const Tensor* input = graph.constant_input(*dequantize, i);
    if (!input || (i == 0 && input->size() == 1)) return kNoValue;
    inputs.push_back(constant(*input));
  }
  return add_dequantize(patch, node, inputs);
}

/// Adds a Slice that cuts the excess off an image [N, H, W, C]; returns the image itself if there is no excess.
ValueId add_cut(Patch& patch, const Node& node, ValueId image, const std::vector<PhaseAxis>& axes) {
  std::vector<int64_t> starts, ends;
  for (const PhaseAxis& axis : axes) {
    starts.push_back(axis.cut_begin);
    ends.push_back(axis.cut_end > 0 ? -axis.cut_end : INT64_MAX);
  }
  if (starts == std::vector<int64_t>{0, 0} && ends == std::vector<int64_t>{INT64_MAX, INT64_MAX}) return image;
  const auto constant = [&](const char* name, const std::vector<int64_t>& values) {
    return patch.constant(node.spec.name + name, Tensor::of(values));
  };
  NodeSpec spec = standard_spec(node, "Slice", 13);
  spec.attributes.clear();
  return patch.add(std::move(spec),
                   {image, constant(".starts", starts), constant(".ends", ends), constant(".axes", {1, 2})});
}

}  // namespace

// QuantizeLinear(Relu?(ConvTranspose(DequantizeLinear(x), DequantizeLinear(w)))) -> a quantised Conv that computes the
// phases of the outputs as channels, which are then moved to their positions.
LINNET_DEFINE_REWRITE(convert_quantized_conv_transpose, "ConvTranspose")(const Graph& graph, const Node& node) {
  if (!dequantize_before(graph, node, 0)) return std::nullopt;
  const auto behind = quantize_behind(graph, node.outputs[0]);
  const auto w = behind ? quantized_weights(graph, node, 1, 1) : std::nullopt;
  const auto axes = w && !w->zero && w->values.size() > 0 ? phase_axes(node, w->values.shape()) : std::nullopt;
  if (!axes) return std::nullopt;
  const int64_t phases = phases_of(*axes);
  Patch patch(graph);
  std::vector<ValueId> inputs{
      node.inputs[0], add_dequantize(patch, node,
                                     {patch.constant(node.spec.name + ".w", phase_weights(w->values, *axes)),
                                      patch.constant(node.spec.name + ".w_scale", repeated(w->scale, phases))})};
  if (optional_input(node, 2) != kNoValue) inputs.push_back(add_bias(graph, patch, node, phases));
  if (inputs.back() == kNoValue) return std::nullopt;
  NodeSpec conv = standard_spec(node, "Conv", 1);
  conv.attributes.clear();
  conv.attributes["pads"] =
      std::vector<int64_t>{(*axes)[0].pad_begin, (*axes)[1].pad_begin, (*axes)[0].pad_end, (*axes)[1].pad_end};
  ValueId y = patch.add(std::move(conv), inputs);
  const auto apply = [&](const Node& old) {
    std::vector<ValueId> same = old.inputs;
    same[0] = y;
    y = patch.add(old.spec, same);
  };
  if (behind->activation) apply(*behind->activation);
  apply(*behind->quantize);
  NodeSpec moves = internal_spec(node, "DepthToSpace");
  moves.attributes.clear();
  moves.attributes["blocksize"] = (*axes)[0].stride;
  y = patch.add(std::move(moves), {add_to_channels_last(patch, node, y, 4)});
  y = add_cut(patch, node, y, *axes);
  patch.replace(behind->quantize->outputs[0], add_to_channels_first(patch, node, y, 4));
  return patch;
}

}  // namespace linnet
