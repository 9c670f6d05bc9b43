#pragma once

#include <string>
#include <vector>

#include "linnet/fact.h"
#include "linnet/node_spec.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// One spatial axis of a sliding window.
struct PoolAxis {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t pad_begin = 0, pad_end = 0;
};

/// The part of a window, at one output coordinate of an axis, that overlaps the input.
struct PoolWindow {
  int64_t origin;      ///< input coordinate of kernel position 0; may be negative
  int64_t begin, end;  ///< kernel positions inside the input
  int64_t counted;     ///< positions inside the padded input
};

/// The windows of a pooling operator over concrete data. There are three spatial axes (depth, height, width); missing
/// outer ones have extent 1. Data is [batch, channels, in...], or [batch, in..., channels] where channels_last.
struct PoolShape {
  int64_t batch = 1, channels = 1;
  bool channels_last = false;
  PoolAxis axes[3];
  CountedVector<PoolWindow> windows[3];  ///< for each axis, one for each output coordinate

  /// The largest number of elements in a window.
  int64_t taps() const { return reach(0) * reach(1) * reach(2); }
  int64_t in_pixels() const { return axes[0].in * axes[1].in * axes[2].in; }
  int64_t out_pixels() const { return axes[0].out * axes[1].out * axes[2].out; }

 private:
  int64_t reach(int i) const { return axes[i].kernel < axes[i].in ? axes[i].kernel : axes[i].in; }
};

/// The attributes that pooling operators share: kernel_shape, strides, dilations, pads, auto_pad, ceil_mode. Data is
/// channels-last in domain "linnet".
/// Source: https://onnx.ai/onnx/operators/onnx__MaxPool.html
class PoolAttributes {
 public:
  /// global: whether the window is the whole image; there are then no attributes.
  PoolAttributes(const NodeSpec& node, bool global);

  /// Returns the dims of the output. Throws Error(kShape) for data of the wrong rank or much smaller than a window.
  std::optional<Dims> output_dims(const Fact& x) const;
  PoolShape shape(const Shape& x) const;
  bool channels_last() const { return channels_last_; }
  bool global() const { return global_; }

 private:
  PoolAxis axis(size_t i, int64_t in) const;
  Dim extent(size_t i, const Dim& in) const;
  Dim last_window(const Dim& data, int64_t behind, int64_t stride) const;
  int spatial_begin() const { return channels_last_ ? 1 : 2; }

  bool global_, channels_last_;
  std::vector<int64_t> kernel_, strides_, dilations_, pads_;
  std::string auto_pad_;
  bool ceil_mode_;
};

}  // namespace linnet
