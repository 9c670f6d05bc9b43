#include <algorithm>
#include <cmath>
#include <limits>

#include "elements/to_integer.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

using Ints = std::vector<int64_t>;

// This limit keeps the products of coordinates and bins far within int64.
constexpr int64_t kMostBins = int64_t{1} << 30;

/// A half-open range of pixels.
struct Range {
  int64_t begin, end;
};

/// The pixels of a region along one axis, at least one. They begin and end at the pixels nearest to its corners.
struct Extent {
  int64_t start, length;

  /// The pixels of an axis of `size` pixels that bin `i` of `count` touches.
  Range bin(int64_t i, int64_t count, int64_t size) const {
    const int64_t begin = start + i * length / count, end = start + ceil_div((i + 1) * length, count);
    return {std::clamp<int64_t>(begin, 0, size), std::clamp<int64_t>(end, 0, size)};
  }
};

template <class T>
class MaxRoiPoolKernel final : public Kernel {
 public:
  MaxRoiPoolKernel(const Shape& x, const Shape& y, float scale) : x_(x), y_(y), scale_(T(scale)) {}

  void run(KernelContext& context) const override {
    check_images(context.input(1).values<T>());
    const int64_t channels = y_[1];
    parallel_items(context.executor(), y_[0] * channels, y_[2] * y_[3] * 16,
                   [&](int64_t item, int64_t end, int worker) {
                     Checkpoints checkpoints;
                     auto* bins = reinterpret_cast<Range*>(context.scratch(worker));
                     for (int64_t roi = -1; item < end; ++item) {
                       if (roi != item / channels) find_bins(context, roi = item / channels, bins, checkpoints);
                       pool_plane(context, roi, item % channels, bins, checkpoints);
                     }
                   });
  }

  size_t scratch_bytes() const override { return size_t(checked_mul(checked_add(y_[2], y_[3]), sizeof(Range))); }

 private:
  void check_images(std::span<const T> rois) const {
    for (size_t i = 0; i < rois.size(); i += 5) {
      const auto image = truncated<int64_t>(double(rois[i]));
      if (!(rois[i] >= 0) || image < 0 || image >= x_[0]) {
        throw Error(ErrorKind::kModel,
                    str("batch_id of region ", i / 5, " must be in [0, ", x_[0], "), got ", rois[i]));
      }
    }
  }

  /// The pixel nearest to a coordinate; 0 for NaN.
  int64_t pixel(T coordinate) const {
    const T nearest = std::round(coordinate * scale_);
    return nearest == nearest ? int64_t(std::clamp(nearest, T(-kMostBins), T(kMostBins))) : 0;
  }

  Extent extent(T first, T last) const {
    const int64_t start = pixel(first);
    return {start, std::max<int64_t>(pixel(last) - start + 1, 1)};
  }

  /// Writes the rows of the bins of a region, then their columns.
  void find_bins(KernelContext& context, int64_t roi, Range* bins, Checkpoints& checkpoints) const {
    const T* box = context.input(1).data<T>() + roi * 5;
    const Extent rows = extent(box[2], box[4]), columns = extent(box[1], box[3]);
    checkpoints.in_parts(y_[2] + y_[3], 8, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        bins[i] = i < y_[2] ? rows.bin(i, y_[2], x_[2]) : columns.bin(i - y_[2], y_[3], x_[3]);
      }
    });
  }

  void pool_plane(KernelContext& context, int64_t roi, int64_t channel, const Range* bins,
                  Checkpoints& checkpoints) const {
    const auto image = int64_t(context.input(1).data<T>()[roi * 5]);
    const T* plane = context.input(0).data<T>() + (image * x_[1] + channel) * x_[2] * x_[3];
    T* y = context.output(0).data<T>() + (roi * y_[1] + channel) * y_[2] * y_[3];
    for (int64_t i = 0; i < y_[2]; ++i, y += y_[3]) {
      for (int64_t j = 0; j < y_[3]; ++j) y[j] = largest(plane, bins[i], bins[y_[2] + j], checkpoints);
    }
  }

  /// The largest pixel; NaN if one is NaN, 0 if there are no pixels. The loop has no branches because the result of a
  /// comparison is unpredictable.
  T largest(const T* plane, const Range& rows, const Range& columns, Checkpoints& checkpoints) const {
    if (rows.begin >= rows.end || columns.begin >= columns.end) return 0;
    T best = -std::numeric_limits<T>::infinity();
    int any_nan = 0;
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      const T* pixels = plane + row * x_[3];
      for (int64_t column = columns.begin; column < columns.end; ++column) {
        const T value = pixels[column];
        best = std::max(best, value);
        any_nan |= value != value;
      }
    }
    checkpoints.add((rows.end - rows.begin) * (columns.end - columns.begin));
    return any_nan ? std::numeric_limits<T>::quiet_NaN() : best;
  }

  Shape x_, y_;
  T scale_;
};

/// MaxRoiPool: each region of interest, divided into pooled_shape bins (height, width). Each bin is the largest of the
/// pixels that it touches, or 0 if it is outside the image. A region extends from the pixel nearest to spatial_scale *
/// (x1, y1) to the one nearest to spatial_scale * (x2, y2), both included, and is at least 1 x 1.
/// X: float types [N,C,H,W].
/// rois: X's dtype [R,5] (batch_id, x1, y1, x2, y2); batch_id in [0, N), its fraction truncated.
/// Y: [R,C,height,width].
/// Sources: https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html,
/// R. Girshick, "Fast R-CNN", 2015, section 2.1
class MaxRoiPool final : public Op {
 public:
  explicit MaxRoiPool(const NodeSpec& node)
      : pooled_(node.attr<Ints>("pooled_shape")), scale_(node.attr_or("spatial_scale", 1.0f)) {
    const auto fits = [](int64_t bins) { return bins > 0 && bins <= kMostBins; };
    if (pooled_.size() != 2 || !std::all_of(pooled_.begin(), pooled_.end(), fits)) {
      throw Error(ErrorKind::kModel, str("pooled_shape must be 2 values in [1, ", kMostBins, "]"));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_floating(in[0], "X");
    require_same_dtype(in[0], in[1], "X and rois");
    require_rank(in[0], 4, "X");
    require_rank(in[1], 2, "rois");
    Dim regions, channels;
    if (in[0].has_rank()) channels = in[0].dim(1);
    if (in[1].has_rank()) {
      merge_dim(in[1].dim(1), 5, "the last dim of rois and the values of a region");
      regions = in[1].dim(0);
    }
    return {Fact(in[0].dtype, Dims{regions, channels, pooled_[0], pooled_[1]})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const DType dtype = in.dtype(0);
    const Shape x = in.shape(0), y{in.shape(1)[0], x[1], pooled_[0], pooled_[1]};
    if (dtype == DType::kFloat32) return std::make_unique<MaxRoiPoolKernel<float>>(x, y, scale_);
    return std::make_unique<MaxRoiPoolKernel<double>>(x, y, scale_);
  }

 private:
  Ints pooled_;
  float scale_;
};

}  // namespace

LINNET_REGISTER(max_roi_pool)(Registry& registry) { registry.add<MaxRoiPool>("MaxRoiPool", {.since = 1}); }

}  // namespace linnet
