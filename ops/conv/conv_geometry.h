#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "linnet/fact.h"
#include "linnet/node_spec.h"

namespace linnet {

/// The attributes that Conv and ConvTranspose share, as written in the node. Lists may be empty.
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

  /// The number of input positions that a window spans.
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
  /// Whether a window is one pixel and there is one window for each input pixel.
  bool pointwise() const;
};

/// Returns the axis of a convolution with these attributes over `in` positions, with its padding and output extent.
/// If the window does not fit, throws Error(kShape).
/// Source: https://onnx.ai/onnx/operators/onnx__Conv.html
ConvAxis conv_axis(const ConvAttributes& attributes, int axis, int64_t in, int64_t kernel);

/// Where a convolution's facts have the channels and the spatial axes, for tensors of a given rank.
struct ConvLayout {
  bool x_channels_last = false, y_channels_last = false;

  static int channel_axis(bool channels_last, int rank) { return channels_last ? rank - 1 : 1; }
  static int spatial_axis(bool channels_last, int axis) { return channels_last ? axis + 1 : axis + 2; }
  int x_channel_axis(int rank) const { return channel_axis(x_channels_last, rank); }
  int x_spatial_axis(int axis) const { return spatial_axis(x_channels_last, axis); }
};

/// Checks the ranks, the lengths of the lists and the kernel. The ranks of x and w must be known.
void check_conv_lists(const ConvAttributes& attributes, const Fact& x, const Fact& w);
/// Checks x, w [out channels, in channels / group, kernel...] and everything that check_conv_lists() checks.
void check_conv(const ConvAttributes& attributes, const ConvLayout& layout, const Fact& x, const Fact& w);
/// Returns the dims of the output. An unknown spatial dim stays unknown unless the convolution keeps its extent.
Dims conv_output_dims(const ConvAttributes& attributes, const ConvLayout& layout, const Fact& x, const Fact& w);
ConvGeometry conv_geometry(const ConvAttributes& attributes, const ConvLayout& layout, const Shape& x, const Shape& w);

}  // namespace linnet
