#include "pool/pool_shape.h"

#include <algorithm>

#include "conv/window_numbers.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

std::vector<int64_t> read_list(const NodeSpec& node, const std::string& name, size_t count, int64_t fallback,
                               int64_t least) {
  auto values = node.attr_or(name, std::vector<int64_t>(count, fallback));
  if (values.size() != count) {
    throw Error(ErrorKind::kModel, str(name, " must have ", count, " values, got ", values.size()));
  }
  require_window_numbers(values, least, name);
  return values;
}

void pad_to_same(PoolAxis& axis, bool upper) {
  const int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
  axis.out = ceil_div(axis.in, axis.stride);
  const int64_t total = std::max<int64_t>(0, (axis.out - 1) * axis.stride + reach - axis.in);
  axis.pad_begin = upper ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

/// Sets the number of windows that fit. With ceil_mode there is also a last one that does not fit, if it begins before
/// the padding at the end of the data. Data smaller than a window has one window if it lacks less than a stride,
/// otherwise none. This is how ONNX Runtime rounds the quotient.
void fit_windows(PoolAxis& axis, bool ceil_mode) {
  const int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
  const int64_t room = axis.in + axis.pad_begin + axis.pad_end - reach;
  axis.out = room / axis.stride + 1;
  if (room < 0 && (axis.out < 0 || axis.in + axis.pad_begin == 0)) {
    throw Error(ErrorKind::kShape,
                str("the window covers ", reach, " elements, the padded data has only ", reach + room));
  }
  const bool rest = room > 0 && room % axis.stride != 0;
  if (ceil_mode && rest && axis.out * axis.stride < axis.in + axis.pad_begin) ++axis.out;
}

PoolWindow window_at(const PoolAxis& axis, int64_t out) {
  const int64_t origin = out * axis.stride - axis.pad_begin, step = axis.dilation;
  // Returns the number of kernel positions whose coordinate is below `limit`.
  const auto below = [&](int64_t limit) {
    return limit <= origin ? 0 : std::min(axis.kernel, ceil_div(limit - origin, step));
  };
  return {origin, std::min(below(0), below(axis.in)), below(axis.in), below(axis.in + axis.pad_end)};
}

}  // namespace

PoolAttributes::PoolAttributes(const NodeSpec& node, bool global)
    : global_(global), channels_last_(node.domain == kInternalDomain), auto_pad_("NOTSET"), ceil_mode_(false) {
  if (global) return;
  kernel_ = node.attr<std::vector<int64_t>>("kernel_shape");
  kernel_ = read_list(node, "kernel_shape", kernel_.size(), 1, 1);
  if (kernel_.empty() || kernel_.size() > 3) {
    throw Error(ErrorKind::kUnsupported, str("windows of 1 to 3 axes are supported, got ", kernel_.size()));
  }
  int64_t taps = 1;
  for (const int64_t extent : kernel_) taps = checked_mul(taps, extent);
  if (taps > kLargestWindowNumber)
    throw Error(ErrorKind::kLimit, str("windows of up to 2^31 elements can be pooled, got ", taps));
  strides_ = read_list(node, "strides", kernel_.size(), 1, 1);
  dilations_ = read_list(node, "dilations", kernel_.size(), 1, 1);
  pads_ = read_list(node, "pads", 2 * kernel_.size(), 0, 0);
  auto_pad_ = node.attr_or("auto_pad", "NOTSET");
  ceil_mode_ = node.attr_or("ceil_mode", false);
  if (auto_pad_ != "NOTSET" && auto_pad_ != "VALID" && auto_pad_ != "SAME_UPPER" && auto_pad_ != "SAME_LOWER") {
    throw Error(ErrorKind::kModel, str("auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, got ", auto_pad_));
  }
}

PoolAxis PoolAttributes::axis(size_t i, int64_t in) const {
  if (global_) return {.in = in, .kernel = std::max<int64_t>(in, 1)};
  if (in > kLargestWindowNumber)
    throw Error(ErrorKind::kLimit, str("axes of up to 2^31 elements can be pooled, got ", in));
  PoolAxis axis{.in = in, .kernel = kernel_[i], .stride = strides_[i], .dilation = dilations_[i]};
  if (auto_pad_ == "SAME_UPPER" || auto_pad_ == "SAME_LOWER") {
    pad_to_same(axis, auto_pad_ == "SAME_UPPER");
    return axis;
  }
  if (auto_pad_ == "NOTSET") {
    axis.pad_begin = pads_[i];
    axis.pad_end = pads_[i + kernel_.size()];
  }
  fit_windows(axis, ceil_mode_);
  return axis;
}

Dim PoolAttributes::extent(size_t i, const Dim& in) const {
  if (in.known()) return axis(i, in.value()).out;
  if (global_) return 1;
  const int64_t stride = strides_[i];
  if (auto_pad_ == "SAME_UPPER" || auto_pad_ == "SAME_LOWER") return ceil_div(in, stride);
  const bool padded = auto_pad_ == "NOTSET";
  const int64_t begin = padded ? pads_[i] : 0, end = padded ? pads_[i + kernel_.size()] : 0;
  const int64_t reach = checked_add(checked_mul(kernel_[i] - 1, dilations_[i]), 1);
  if (begin == 0 && end < reach) learn_at_least(in, 1);
  return last_window(in + begin, checked_add(end, -reach), stride) + 1;
}

/// Returns the index of the last window, as fit_windows() does.
Dim PoolAttributes::last_window(const Dim& data, int64_t behind, int64_t stride) const {
  const Dim room = data + behind;
  learn_at_least(room, Dim(1) - Dim(2) * stride);
  const Dim whole = floor_div(room, stride), rounded_up = ceil_div(room, stride);
  if (certainly_equal(whole, rounded_up)) return whole;
  if (!ceil_mode_) return max(whole, min(rounded_up, 0));
  // The last rounded-up window begins before the padding where a stride is not longer than what that window lacks.
  return behind <= -stride ? rounded_up : max(whole, min(rounded_up, ceil_div(data, stride) - 1));
}

std::optional<Dims> PoolAttributes::output_dims(const Fact& x) const {
  if (!x.has_rank()) return std::nullopt;
  const bool fits = global_ ? x.rank() >= 3 && x.rank() <= 5 : x.rank() == int(kernel_.size()) + 2;
  if (!fits) {
    throw Error(ErrorKind::kShape, global_ ? str("X must have 1 to 3 spatial axes after batch and channels, got ", x)
                                           : str("X must have rank ", kernel_.size() + 2, ", got ", x));
  }
  Dims dims = *x.dims;
  for (size_t i = 0; i + 2 < dims.size(); ++i) {
    Dim& dim = dims[i + size_t(spatial_begin())];
    dim = extent(i, dim);
  }
  return dims;
}

PoolShape PoolAttributes::shape(const Shape& x) const {
  PoolShape shape;
  shape.batch = x[0];
  shape.channels_last = channels_last_;
  shape.channels = x[channels_last_ ? x.rank() - 1 : 1];
  const int spatial = x.rank() - 2;
  for (int i = 0; i < spatial; ++i) shape.axes[3 - spatial + i] = axis(size_t(i), x[spatial_begin() + i]);
  for (int i = 0; i < 3; ++i) {
    Checkpoints().in_parts(shape.axes[i].out, 16, [&](int64_t o, int64_t end) {
      for (; o < end; ++o) shape.windows[i].push_back(window_at(shape.axes[i], o));
    });
  }
  return shape;
}

}  // namespace linnet
