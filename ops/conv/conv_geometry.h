#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "linnet/fact.h"
#include "linnet/node_spec.h"

namespace linnet {

/// The attributes that Conv and ConvTranspose share, as written; lists may be empty.
struct ConvAttributes {
  explicit ConvAttributes(const NodeSpec& node);

  std::vector<int64_t> kernel_shape, strides, pads, dilations;
  int64_t group;
  std::string auto_pad;
};

/// One spatial axis of a convolution.
struct ConvAxis {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t pad_begin = 0;

  /// How many input positions a window spans.
  int64_t extent() const { return dilation * (kernel - 1) + 1; }
};

/// The sizes of a convolution. Spatial axes are (depth, height, width); missing outer ones have extent 1.
struct ConvGeometry {
  int64_t batch = 1, in_channels = 1, out_channels = 1, group = 1;
  std::array<ConvAxis, 3> axes{};

  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  int64_t in_pixels() const { return axes[0].in * axes[1].in * axes[2].in; }
  int64_t out_pixels() const { return axes[0].out * axes[1].out * axes[2].out; }
  int64_t group_in() const { return in_channels / group; }
  int64_t group_out() const { return out_channels / group; }
  /// A window is one pixel, and there is one for each input pixel.
  bool pointwise() const;
};

/// The axis of a convolution with these attributes over `in` positions: padding and output extent.
/// Throws Error(kShape) where the window does not fit.
/// Source: https://onnx.ai/onnx/operators/onnx__Conv.html
ConvAxis conv_axis(const ConvAttributes& attributes, int axis, int64_t in, int64_t kernel);

/// The facts' dims of a convolution: where the channels and the spatial axes of a tensor of this rank are.
struct ConvLayout {
  bool x_channels_last = false, y_channels_last = false;

  static int channel_axis(bool channels_last, int rank) { return channels_last ? rank - 1 : 1; }
  static int spatial_axis(bool channels_last, int axis) { return channels_last ? axis + 1 : axis + 2; }
  int x_channel_axis(int rank) const { return channel_axis(x_channels_last, rank); }
  int x_spatial_axis(int axis) const { return spatial_axis(x_channels_last, axis); }
};

/// Checks ranks, the lists' lengths and the kernel; x and w need a known rank.
void check_conv_lists(const ConvAttributes& attributes, const Fact& x, const Fact& w);
/// Checks x, w [out channels, in channels / group, kernel...] and what check_conv_lists() does.
void check_conv(const ConvAttributes& attributes, const ConvLayout& layout, const Fact& x, const Fact& w);
/// The dims of the output; an open spatial dim stays open unless the convolution keeps it.
Dims conv_output_dims(const ConvAttributes& attributes, const ConvLayout& layout, const Fact& x, const Fact& w);
ConvGeometry conv_geometry(const ConvAttributes& attributes, const ConvLayout& layout, const Shape& x, const Shape& w);

}  // namespace linnet
