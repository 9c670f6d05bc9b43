#include <algorithm>
#include <cmath>
#include <limits>

#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/pool.h"
#include "object_detection/roi_taps.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

struct RoiSettings {
  int64_t height, width;   ///< The size of the output.
  int64_t sampling_ratio;  ///< The samples per bin and axis; 0: as many as the bin has pixels.
  float spatial_scale;
  bool half_pixel, maximum;
};

template <class T>
class RoiAlignKernel final : public Kernel {
 public:
  RoiAlignKernel(const RoiSettings& settings, const Shape& x, int64_t rois, const PoolKernels& kernels)
      : s_(settings), x_(x), rois_(rois), bins_(checked_mul(s_.height, s_.width)), kernels_(kernels) {}

  void run(KernelContext& context) const override {
    const int64_t groups = ceil_div(x_[1], kChannels);
    const int64_t cost = checked_mul(bins_, 16 * std::min(kChannels, x_[1]));
    parallel_items(context.executor(), rois_ * groups, cost, [&](int64_t item, int64_t end, int worker) {
      Checkpoints checkpoints;
      for (; item < end; ++item) {
        const int64_t channel = item % groups * kChannels;
        pool_channels(context, item / groups, channel, std::min(x_[1], channel + kChannels), worker, checkpoints);
      }
    });
  }

  size_t scratch_bytes() const override {
    if (s_.maximum) return 0;
    return size_t(
        checked_add(RoiTaps<T>::bytes(s_.height, x_[2]), checked_add(RoiTaps<T>::bytes(s_.width, x_[3]), row_bytes())));
  }

 private:
  static constexpr int64_t kChannels = 32;  ///< The number of channels that share the taps of a region.

  int64_t row_bytes() const { return checked_add(checked_mul(x_[3], sizeof(T)), checked_mul(x_[2], sizeof(T*))); }

  RoiBins<T> bins(T begin, T end, int64_t count) const {
    const T scale = T(s_.spatial_scale), offset = s_.half_pixel ? T(0.5) : T(0);
    const T start = begin * scale - offset;
    // Both reference implementations use this order of operations, which decides the number of samples.
    T length = end * scale - offset - start;
    if (!s_.half_pixel) length = std::max(length, T(1));
    const T extent = length / T(count);
    // A region larger than any image needs no more samples than this. NaN gives no samples.
    const T wanted = std::ceil(extent);
    const int64_t adaptive = wanted > 0 ? int64_t(std::min(wanted, T(1 << 16))) : 0;
    return {start, extent, s_.sampling_ratio > 0 ? s_.sampling_ratio : adaptive};
  }

  void pool_channels(KernelContext& context, int64_t roi, int64_t begin, int64_t end, int worker,
                     Checkpoints& checkpoints) const {
    const int64_t image = context.input(2).data<int64_t>()[roi];
    T* y = context.output(0).data<T>() + (roi * x_[1] + begin) * bins_;
    if (image < 0 || image >= x_[0] || x_[2] * x_[3] == 0) {
      return void(std::fill_n(y, checked_mul(end - begin, bins_), T(0)));
    }
    const T* box = context.input(1).data<T>() + roi * 4;
    const RoiBins<T> rows = bins(box[1], box[3], s_.height), columns = bins(box[0], box[2], s_.width);
    const T* plane = context.input(0).data<T>() + (image * x_[1] + begin) * x_[2] * x_[3];
    if (s_.maximum) return max_bins(plane, rows, columns, end - begin, y, checkpoints);
    std::byte* scratch = context.scratch(worker);
    RoiTaps<T> row_taps(scratch, s_.height, x_[2]);
    scratch += RoiTaps<T>::bytes(s_.height, x_[2]);
    RoiTaps<T> column_taps(scratch, s_.width, x_[3]);
    scratch += RoiTaps<T>::bytes(s_.width, x_[3]);
    row_taps.fill(rows, checkpoints);
    column_taps.fill(columns, checkpoints);
    const T count = T(std::max<int64_t>(1, checked_mul(rows.samples, columns.samples)));
    for (; begin < end; ++begin, plane += x_[2] * x_[3], y += bins_) {
      mean_channel(plane, row_taps, column_taps, count, scratch, y);
      checkpoints.add(row_taps.size() * (column_taps.last() - column_taps.first()) + bins_);
    }
  }

  /// Computes the mean of a bin's bilinear samples as a weighted sum over its rows of their weighted sums.
  void mean_channel(const T* plane, const RoiTaps<T>& rows, const RoiTaps<T>& columns, T count, std::byte* scratch,
                    T* y) const {
    const T** const taps = reinterpret_cast<const T**>(scratch);
    T* const line = reinterpret_cast<T*>(taps + x_[2]);
    const int64_t first = columns.first(), n = columns.last() - first;
    for (int64_t r = 0; r < s_.height; ++r, y += s_.width) {
      const auto row = rows.of(r);
      if (row.count == 0 || n <= 0) {
        std::fill_n(y, s_.width, T(0));
        continue;
      }
      for (int64_t t = 0; t < row.count; ++t) taps[t] = plane + row.index[t] * x_[3] + first;
      weighted_sum(taps, row.weight, row.count, n, line);
      for (int64_t c = 0; c < s_.width; ++c) {
        const auto column = columns.of(c);
        T sum = 0;
        for (int64_t t = 0; t < column.count; ++t) sum += column.weight[t] * line[column.index[t] - first];
        y[c] = sum / count;
      }
    }
  }

  void weighted_sum(const T* const* rows, const T* weights, int64_t count, int64_t n, T* y) const {
    if constexpr (std::is_same_v<T, float>) {
      kernels_.weighted_f32(rows, weights, count, n, y);
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] = weights[0] * rows[0][i];
      for (int64_t t = 1; t < count; ++t) {
        for (int64_t i = 0; i < n; ++i) y[i] += weights[t] * rows[t][i];
      }
    }
  }

  /// Computes the largest of the four weighted pixels of all samples of a bin, for one channel after another.
  void max_bins(const T* plane, const RoiBins<T>& rows, const RoiBins<T>& columns, int64_t channels, T* y,
                Checkpoints& checkpoints) const {
    const bool any = rows.samples > 0 && columns.samples > 0;
    std::fill_n(y, checked_mul(channels, bins_), any ? -std::numeric_limits<T>::infinity() : T(0));
    for (int64_t i = 0; i < bins_; ++i) {
      for (int64_t r = 0; r < rows.samples; ++r) {
        const RoiSample<T> row(rows.at(i / s_.width, r), x_[2]);
        for (int64_t c = 0; c < columns.samples; ++c) {
          add_sample(plane, row, RoiSample<T>(columns.at(i % s_.width, c), x_[3]), channels, y + i);
        }
        checkpoints.add(checked_mul(columns.samples, channels));
      }
    }
  }

  /// Sets y[channel * bins] to the largest of itself and the weighted pixels of that channel.
  void add_sample(const T* plane, const RoiSample<T>& row, const RoiSample<T>& column, int64_t channels, T* y) const {
    const int64_t pixels = x_[2] * x_[3];
    if (!row.inside || !column.inside) {
      for (int64_t k = 0; k < channels; ++k) y[k * bins_] = std::max(y[k * bins_], T(0));
      return;
    }
    const int64_t at[] = {row.low * x_[3] + column.low, row.low * x_[3] + column.high, row.high * x_[3] + column.low,
                          row.high * x_[3] + column.high};
    const T down = row.fraction, across = column.fraction;
    const T weights[] = {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across};
    for (int64_t k = 0; k < channels; ++k, plane += pixels, y += bins_) {
      T best = *y;
      for (int t = 0; t < 4; ++t) best = std::max(best, weights[t] * plane[at[t]]);
      *y = best;
    }
  }

  RoiSettings s_;
  Shape x_;
  int64_t rois_;
  int64_t bins_;  // The number of bins in a region.
  PoolKernels kernels_;
};

/// RoiAlign: each region of interest, divided into output_height x output_width bins. Each bin is the mean of bilinear
/// samples (mode avg), or the largest of their weighted pixels (mode max).
/// X: float types [N,C,H,W].
/// rois: X's dtype [R,4] (x1, y1, x2, y2).
/// batch_indices: int64 [R]. A region of no image gives zeros.
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
    const PoolKernels& pool = kernels_for<PoolKernels>(in.isa());
    if (dtype == DType::kFloat32) return std::make_unique<RoiAlignKernel<float>>(s_, x, rois, pool);
    return std::make_unique<RoiAlignKernel<double>>(s_, x, rois, pool);
  }

 private:
  RoiSettings s_;
};

}  // namespace

LINNET_REGISTER(roi_align)(Registry& registry) { registry.add<RoiAlign>("RoiAlign", {.since = 10}); }

}  // namespace linnet
