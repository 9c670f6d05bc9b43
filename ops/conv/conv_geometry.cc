#include "conv/conv_geometry.h"

#include <algorithm>
#include <string_view>

#include "conv/window_numbers.h"
#include "infer/infer.h"
#include "partition/parts.h"

namespace linnet {
namespace {

constexpr int kMostSpatialAxes = 3;

int64_t at_or(const std::vector<int64_t>& list, int i, int64_t fallback) {
  return list.empty() ? fallback : list[size_t(i)];
}

void require_length(const std::vector<int64_t>& list, int length, std::string_view name) {
  if (!list.empty() && int(list.size()) != length) {
    throw Error(ErrorKind::kShape, str(name, " must have ", length, " values, got ", list.size()));
  }
}

bool is_same(const std::string& auto_pad) { return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER"; }

/// Returns the output extent of an axis whose extents may be unknown.
Dim output_extent(const ConvAttributes& a, int axis, const Dim& in, const Dim& kernel, int spatial_rank) {
  if (in.known() && kernel.known()) return conv_axis(a, axis, in.value(), kernel.value()).out;
  const int64_t stride = at_or(a.strides, axis, 1);
  if (is_same(a.auto_pad)) return ceil_div(in, stride);
  Dim padded = in;
  if (a.auto_pad == "NOTSET") padded += Dim(at_or(a.pads, axis, 0)) + at_or(a.pads, axis + spatial_rank, 0);
  const Dim extent = Dim(at_or(a.dilations, axis, 1)) * (kernel - 1) + 1;
  learn_at_least(padded, extent);
  return floor_div(padded - extent, stride) + 1;
}

}  // namespace

ConvAttributes::ConvAttributes(const NodeSpec& node)
    : kernel_shape(node.attr_or("kernel_shape", std::vector<int64_t>{})),
      strides(node.attr_or("strides", std::vector<int64_t>{})),
      pads(node.attr_or("pads", std::vector<int64_t>{})),
      dilations(node.attr_or("dilations", std::vector<int64_t>{})),
      group(node.attr_or("group", 1)),
      auto_pad(node.attr_or("auto_pad", "NOTSET")) {
  require_window_numbers(kernel_shape, 1, "kernel_shape");
  require_window_numbers(strides, 1, "strides");
  require_window_numbers(pads, 0, "pads");
  require_window_numbers(dilations, 1, "dilations");
  if (group < 1) throw Error(ErrorKind::kModel, str("group must be at least 1, got ", group));
  if (auto_pad != "NOTSET" && auto_pad != "VALID" && !is_same(auto_pad)) {
    throw Error(ErrorKind::kModel, str("auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, got ", auto_pad));
  }
}

bool ConvGeometry::pointwise() const {
  return taps() == 1 && std::all_of(axes.begin(), axes.end(), [](const ConvAxis& axis) {
           return axis.stride == 1 && axis.pad_begin == 0 && axis.out == axis.in;
         });
}

ConvAxis conv_axis(const ConvAttributes& attributes, int axis, int64_t in, int64_t kernel) {
  ConvAxis result;
  result.in = in;
  result.kernel = kernel;
  result.stride = at_or(attributes.strides, axis, 1);
  result.dilation = at_or(attributes.dilations, axis, 1);
  const int64_t extent = checked_add(checked_mul(result.dilation, kernel - 1), 1);
  if (is_same(attributes.auto_pad)) {
    result.out = ceil_div(in, result.stride);
    const int64_t pads = std::max<int64_t>(
        0, checked_add(checked_mul(std::max<int64_t>(result.out - 1, 0), result.stride), extent) - in);
    result.pad_begin = attributes.auto_pad == "SAME_UPPER" ? pads / 2 : pads - pads / 2;
    return result;
  }
  int64_t pad_end = 0;
  if (attributes.auto_pad != "VALID" && !attributes.pads.empty()) {
    result.pad_begin = attributes.pads[size_t(axis)];
    pad_end = attributes.pads[attributes.pads.size() / 2 + size_t(axis)];
  }
  const int64_t padded = checked_add(checked_add(in, result.pad_begin), pad_end);
  if (padded < extent) {
    throw Error(ErrorKind::kShape,
                str("a window of ", extent, " does not fit into ", padded, " padded positions of spatial axis ", axis));
  }
  result.out = (padded - extent) / result.stride + 1;
  return result;
}

void check_conv_lists(const ConvAttributes& attributes, const Fact& x, const Fact& w) {
  const int rank = x.rank();
  const int spatial = rank - 2;
  if (rank < 3) throw Error(ErrorKind::kShape, str("input X must have at least 3 dims, got ", x));
  if (spatial > kMostSpatialAxes) {
    throw Error(ErrorKind::kUnsupported, str("at most ", kMostSpatialAxes, " spatial axes are supported, got ", x));
  }
  require_rank(w, rank, "input W");
  require_length(attributes.kernel_shape, spatial, "kernel_shape");
  require_length(attributes.strides, spatial, "strides");
  require_length(attributes.pads, 2 * spatial, "pads");
  require_length(attributes.dilations, spatial, "dilations");
  for (int i = 0; i < spatial; ++i) {
    if (certainly_equal(w.dim(i + 2), 0))
      throw Error(ErrorKind::kShape, str("the kernel must not be empty, got W ", w));
    if (attributes.kernel_shape.empty()) continue;
    merge_dim(w.dim(i + 2), attributes.kernel_shape[size_t(i)], str("kernel_shape[", i, "] and dim ", i + 2, " of W"));
  }
}

void check_conv(const ConvAttributes& attributes, const ConvLayout& layout, const Fact& x, const Fact& w) {
  check_conv_lists(attributes, x, w);
  const Dim& channels = x.dim(layout.x_channel_axis(x.rank()));
  const Dim wanted = checked_mul(w.dim(1), attributes.group);
  if (channels.known() && wanted.known() && channels.value() != wanted.value()) {
    throw Error(ErrorKind::kShape, str("input W must have ", channels, " / group ", attributes.group,
                                       " input channels for X ", x, ", got ", w));
  }
  learn_equal(channels, wanted);
  if (certainly_equal(w.dim(1), 0)) throw Error(ErrorKind::kShape, str("input W must have input channels, got ", w));
  if (w.dim(0).known() && w.dim(0).value() % attributes.group != 0) {
    throw Error(ErrorKind::kShape,
                str("the output channels of W must be a multiple of group ", attributes.group, ", got ", w));
  }
}

Dims conv_output_dims(const ConvAttributes& attributes, const ConvLayout& layout, const Fact& x, const Fact& w) {
  const int rank = x.rank();
  Dims dims = *x.dims;
  dims[0] = x.dim(0);
  dims[size_t(ConvLayout::channel_axis(layout.y_channels_last, rank))] = w.dim(0);
  for (int i = 0; i < rank - 2; ++i) {
    const Dim& in = x.dim(layout.x_spatial_axis(i));
    const Dim kernel = attributes.kernel_shape.empty() ? w.dim(i + 2) : Dim(attributes.kernel_shape[size_t(i)]);
    dims[size_t(ConvLayout::spatial_axis(layout.y_channels_last, i))] =
        output_extent(attributes, i, in, kernel, rank - 2);
  }
  return dims;
}

ConvGeometry conv_geometry(const ConvAttributes& attributes, const ConvLayout& layout, const Shape& x, const Shape& w) {
  const int spatial = x.rank() - 2;
  ConvGeometry geometry;
  geometry.batch = x[0];
  geometry.in_channels = x[layout.x_channel_axis(x.rank())];
  geometry.out_channels = w[0];
  geometry.group = attributes.group;
  for (int i = 0; i < spatial; ++i) {
    geometry.axes[size_t(i + kMostSpatialAxes - spatial)] =
        conv_axis(attributes, i, x[layout.x_spatial_axis(i)], w[i + 2]);
  }
  return geometry;
}

}  // namespace linnet
