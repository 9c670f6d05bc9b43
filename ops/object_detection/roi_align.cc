#include <algorithm>
#include <cmath>
#include <limits>

#include "infer/infer.h"
#include "op_list.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

struct RoiSettings {
  int64_t height, width;   ///< of the output
  int64_t sampling_ratio;  ///< samples per bin and axis; 0: as many as the bin has pixels
  float spatial_scale;
  bool half_pixel, maximum;
};

template <class T>
class RoiAlignKernel final : public Kernel {
 public:
  RoiAlignKernel(const RoiSettings& settings, const Shape& x, int64_t rois) : s_(settings), x_(x), rois_(rois) {}

  void run(KernelContext& context) const override {
    const int64_t cost = s_.height * s_.width * 16;
    parallel_items(context.executor(), rois_ * x_[1], cost, [&](int64_t item, int64_t end, int) {
      Checkpoints checkpoints;
      for (; item < end; ++item) pool_channel(context, item / x_[1], item % x_[1], checkpoints);
    });
  }

 private:
  /// The bins of a region along one axis.
  struct Bins {
    T start, extent;
    int64_t samples;
  };

  Bins bins(T begin, T end, int64_t count) const {
    const T scale = T(s_.spatial_scale), offset = s_.half_pixel ? T(0.5) : T(0);
    const T start = begin * scale - offset;
    T length =
        end * scale - offset - start;  // in this order, as both references: it decides how many samples there are
    if (!s_.half_pixel) length = std::max(length, T(1));
    const T extent = length / T(count);
    // A region beyond any image needs no more samples than this; NaN gives none.
    const T wanted = std::ceil(extent);
    const int64_t adaptive = wanted > 0 ? int64_t(std::min(wanted, T(1 << 16))) : 0;
    return {start, extent, s_.sampling_ratio > 0 ? s_.sampling_ratio : adaptive};
  }

  void pool_channel(KernelContext& context, int64_t roi, int64_t channel, Checkpoints& checkpoints) const {
    const T* box = context.input(1).data<T>() + roi * 4;
    const int64_t image = context.input(2).data<int64_t>()[roi];
    T* y = context.output(0).data<T>() + (roi * x_[1] + channel) * s_.height * s_.width;
    if (image < 0 || image >= x_[0] || x_[2] * x_[3] == 0) return void(std::fill_n(y, s_.height * s_.width, T(0)));
    const T* plane = context.input(0).data<T>() + (image * x_[1] + channel) * x_[2] * x_[3];
    const Bins rows = bins(box[1], box[3], s_.height), columns = bins(box[0], box[2], s_.width);
    for (int64_t i = 0; i < s_.height * s_.width; ++i)
      y[i] = pool_bin(plane, rows, columns, i / s_.width, i % s_.width, checkpoints);
  }

  T pool_bin(const T* plane, const Bins& rows, const Bins& columns, int64_t row, int64_t column,
             Checkpoints& checkpoints) const {
    T sum = 0, best = -std::numeric_limits<T>::infinity();
    for (int64_t r = 0; r < rows.samples; ++r) {
      const T y = rows.start + T(row) * rows.extent + (T(r) + T(0.5)) * rows.extent / T(rows.samples);
      for (int64_t c = 0; c < columns.samples; ++c) {
        const T x = columns.start + T(column) * columns.extent + (T(c) + T(0.5)) * columns.extent / T(columns.samples);
        add_sample(plane, y, x, sum, best);
      }
      checkpoints.add(columns.samples);
    }
    const int64_t count = rows.samples * columns.samples;
    return s_.maximum ? (count > 0 ? best : T(0)) : sum / T(std::max<int64_t>(1, count));
  }

  /// Bilinear; the sum takes the sample, the maximum each of its four weighted pixels.
  void add_sample(const T* plane, T y, T x, T& sum, T& best) const {
    const int64_t height = x_[2], width = x_[3];
    if (!(y >= -1 && y <= T(height) && x >= -1 && x <= T(width))) {
      best = std::max(best, T(0));
      return;
    }
    y = std::clamp(y, T(0), T(height - 1));
    x = std::clamp(x, T(0), T(width - 1));
    const auto top = int64_t(y), left = int64_t(x);
    const int64_t bottom = std::min(top + 1, height - 1), right = std::min(left + 1, width - 1);
    const T down = y - T(top), across = x - T(left);
    for (const T value :
         {(1 - down) * (1 - across) * plane[top * width + left], (1 - down) * across * plane[top * width + right],
          down * (1 - across) * plane[bottom * width + left], down * across * plane[bottom * width + right]}) {
      sum += value;
      best = std::max(best, value);
    }
  }

  RoiSettings s_;
  Shape x_;
  int64_t rois_;
};

/// RoiAlign: each region of interest, divided into output_height x output_width bins; each bin is the mean of bilinear
/// samples (mode avg), or the largest of their weighted pixels (mode max).
/// X: [N,C,H,W], rois: [R,4] (x1, y1, x2, y2), float types; batch_indices: int64 [R], a region of no image gives zeros.
/// Source: https://onnx.ai/onnx/operators/onnx__RoiAlign.html
class RoiAlign final : public Op {
 public:
  explicit RoiAlign(const NodeSpec& node)
      : s_{node.attr_or("output_height", 1),
           node.attr_or("output_width", 1),
           node.attr_or("sampling_ratio", 0),
           node.attr_or("spatial_scale", 1.0f),
           false,
           node.attr_or("mode", "avg") == "max"} {
    const char* fallback = node.opset < 16 ? "output_half_pixel" : "half_pixel";
    s_.half_pixel = node.attr_or("coordinate_transformation_mode", fallback) == "half_pixel";
    if (s_.height < 1 || s_.width < 1 || s_.sampling_ratio < 0 || s_.sampling_ratio > (1 << 16)) {
      throw Error(ErrorKind::kModel, "output_height and output_width must be positive, sampling_ratio in [0, 65536]");
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3);
    require_floating(in[0], "X");
    require_same_dtype(in[0], in[1], "X and rois");
    require_dtype(in[2], DType::kInt64, "batch_indices");
    require_rank(in[0], 4, "X");
    require_rank(in[1], 2, "rois");
    require_rank(in[2], 1, "batch_indices");
    Dim regions, channels;
    if (in[0].has_rank()) channels = in[0].dim(1);
    if (in[1].has_rank()) merge_dim(in[1].dim(1), 4, "the last dim of rois and the values of a region");
    if (in[1].has_rank()) regions = in[1].dim(0);
    if (in[2].has_rank()) regions = merge_dim(regions, in[2].dim(0), "the number of rois and batch_indices");
    return {Fact(in[0].dtype, Dims{regions, channels, s_.height, s_.width})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const DType dtype = in.dtype(0);
    const Shape x = in.shape(0);
    const int64_t rois = in.shape(1)[0];
    if (dtype == DType::kFloat32) return std::make_unique<RoiAlignKernel<float>>(s_, x, rois);
    return std::make_unique<RoiAlignKernel<double>>(s_, x, rois);
  }

 private:
  RoiSettings s_;
};

}  // namespace

void register_roi_align(Registry& registry) { registry.add<RoiAlign>("RoiAlign", {.since = 10}); }

}  // namespace linnet
