#include <algorithm>

#include "conv/conv_kernel.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// ConvTranspose: y[n, o, i * stride - pad + k * dilation] += x[n, c, i] * w[c, o, k] over all c, i, k, plus bias[o];
/// per group. x: [N, C, D1...], w: [C, O / group, k1...], bias: [O]; one to three spatial axes; float types.
/// The output extents are (D - 1) * stride + (k - 1) * dilation + 1 + output_padding - pads, or output_shape where
/// given. The pads then follow from output_shape.
/// Source: https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
class ConvTranspose final : public Op {
 public:
  explicit ConvTranspose(const NodeSpec& node)
      : attributes_(node),
        output_padding_(node.attr_or("output_padding", std::vector<int64_t>{})),
        output_shape_(node.attr_or("output_shape", std::vector<int64_t>{})) {
    const auto negative = [](int64_t value) { return value < 0; };
    if (std::any_of(output_padding_.begin(), output_padding_.end(), negative)) {
      throw Error(ErrorKind::kModel, "output_padding must not be negative");
    }
    if (std::any_of(output_shape_.begin(), output_shape_.end(), negative)) {
      throw Error(ErrorKind::kModel, "output_shape must not be negative");
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 3);
    const Fact& x = in[0];
    const Fact& w = in[1];
    require_floating(x, "input X");
    require_same_dtype(x, w, "inputs X and W");
    if (has_input(in, 2)) {
      require_same_dtype(x, in[2], "inputs X and B");
      require_rank(in[2], 1, "input B");
    }
    if (!x.has_rank() || !w.has_rank()) return {Fact(x.dtype, std::nullopt)};
    check(x, w);
    Dims dims = *x.dims;
    dims[1] = checked_mul(w.dim(1), attributes_.group);
    if (has_input(in, 2) && in[2].has_rank()) {
      merge_dim(dims[1], in[2].dim(0), "the output channels of W and the length of B");
    }
    for (int i = 0; i < x.rank() - 2; ++i) dims[size_t(i + 2)] = output_extent(i, x.dim(i + 2), w.dim(i + 2));
    return {Fact(x.dtype, dims)};
  }

  // Every element of x is multiplied by the weights of its channel.
  int64_t multiply_adds(const NodeValues& v) const override { return conv_multiply_adds(v.in(0), v.in(1)); }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0), w = in.shape(1);
    ConvGeometry geometry;
    geometry.batch = x[0];
    geometry.in_channels = x[1];
    geometry.out_channels = w[1] * attributes_.group;
    geometry.group = attributes_.group;
    for (int i = 0; i < x.rank() - 2; ++i) geometry.axes[size_t(i + 5 - x.rank())] = axis(i, x[i + 2], w[i + 2]);
    return make_conv_transpose_kernel(geometry, in);
  }

 private:
  static int64_t at_or(const std::vector<int64_t>& list, int i, int64_t fallback) {
    return list.empty() ? fallback : list[size_t(i)];
  }

  void check(const Fact& x, const Fact& w) const {
    const int spatial = x.rank() - 2;
    check_conv_lists(attributes_, x, w);
    for (const auto* list : {&output_padding_, &output_shape_}) {
      if (!list->empty() && int(list->size()) != spatial) {
        throw Error(ErrorKind::kShape,
                    str("output_padding and output_shape must have ", spatial, " values, got ", list->size()));
      }
    }
    merge_dim(x.dim(1), w.dim(0), "the channels of X and of W");
    if (w.dim(0).known() && (w.dim(0).value() == 0 || w.dim(0).value() % attributes_.group != 0)) {
      throw Error(ErrorKind::kShape,
                  str("the input channels of W must be a multiple of group ", attributes_.group, ", got ", w));
    }
  }

  bool is_same() const { return attributes_.auto_pad == "SAME_UPPER" || attributes_.auto_pad == "SAME_LOWER"; }

  /// Returns the output extent of an axis whose extents may be unknown.
  Dim output_extent(int i, const Dim& in, const Dim& kernel) const {
    if (in.known() && kernel.known()) return axis(i, in.value(), kernel.value()).out;
    if (!output_shape_.empty()) return output_shape_[size_t(i)];
    const int64_t stride = at_or(attributes_.strides, i, 1);
    if (is_same()) return in * Dim(stride);
    if (!kernel.known()) return {};
    const bool padded = attributes_.auto_pad != "VALID" && !attributes_.pads.empty();
    const Dim pads =
        padded ? Dim(attributes_.pads[size_t(i)]) + attributes_.pads[attributes_.pads.size() / 2 + size_t(i)] : Dim(0);
    const Dim beyond =
        (kernel - 1) * Dim(at_or(attributes_.dilations, i, 1)) + 1 + at_or(output_padding_, i, 0) - stride;
    const Dim full = in * Dim(stride) + beyond;
    if (!certainly_equal(pads, 0)) {
      learn_at_least(in, 1);
      learn_at_least(full, pads);
      return full - pads;
    }
    // An axis of extent 0 has no output.
    return certainly_at_least(beyond, 0) ? min(full, in * (beyond + stride)) : max(full, 0);
  }

  ConvAxis axis(int i, int64_t in, int64_t kernel) const {
    ConvAxis result;
    result.in = in;
    result.kernel = kernel;
    result.stride = at_or(attributes_.strides, i, 1);
    result.dilation = at_or(attributes_.dilations, i, 1);
    const int64_t reach =
        checked_add(checked_mul(std::max<int64_t>(in - 1, 0), result.stride), checked_mul(kernel - 1, result.dilation));
    const int64_t full = in == 0 ? 0 : checked_add(checked_add(reach, 1), at_or(output_padding_, i, 0));
    if (!output_shape_.empty() || is_same()) {
      result.out = output_shape_.empty() ? checked_mul(in, result.stride) : output_shape_[size_t(i)];
      const int64_t pads = std::max<int64_t>(0, full - result.out);
      result.pad_begin = attributes_.auto_pad == "SAME_UPPER" ? pads / 2 : pads - pads / 2;
      return result;
    }
    int64_t pad_end = 0;
    if (attributes_.auto_pad != "VALID" && !attributes_.pads.empty()) {
      result.pad_begin = attributes_.pads[size_t(i)];
      pad_end = attributes_.pads[attributes_.pads.size() / 2 + size_t(i)];
    }
    result.out = full - checked_add(result.pad_begin, pad_end);
    if (result.out < 0) {
      throw Error(ErrorKind::kShape, str("pads of ", result.pad_begin, " and ", pad_end, " exceed the ", full,
                                         " outputs of spatial axis ", i));
    }
    return result;
  }

  ConvAttributes attributes_;
  std::vector<int64_t> output_padding_, output_shape_;
};

}  // namespace

LINNET_REGISTER(conv_transpose)(Registry& registry) { registry.add<ConvTranspose>("ConvTranspose", {.since = 1}); }

}  // namespace linnet
