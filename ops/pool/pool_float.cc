#include "pool/pool_float.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/kernel_table.h"
#include "partition/parallel.h"
#include "partition/parts.h"

namespace linnet {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

/// Rows of output pixels. The lines of the window are reduced to one, then its columns; only channels-last means reduce
/// the pixels of each window.
class PoolFloat final : public Kernel {
 public:
  PoolFloat(PoolKind kind, PoolShape shape, const PoolKernels& kernels)
      : kind_(kind), shape_(std::move(shape)), kernels_(kernels) {
    const int64_t planes = shape_.channels_last ? 1 : shape_.channels;
    rows_ = shape_.batch * planes * shape_.axes[0].out * shape_.axes[1].out;
    row_floats_ = shape_.axes[2].out * (shape_.channels_last ? shape_.channels : 1);
  }

  void run(KernelContext& context) const override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), rows_, row_floats_ * shape_.taps(), [&](int64_t row, int64_t end, int worker) {
      for (; row < end; ++row) compute_row(x, row, y + row * row_floats_, context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override {
    const int64_t line = shape_.axes[2].in * (shape_.channels_last ? shape_.channels : 1);
    return size_t(shape_.taps()) * sizeof(const float*) + dtype_bytes(DType::kFloat32, line);
  }

  std::string describe() const override { return shape_.channels_last ? "channels-last" : "channels-first"; }

 private:
  /// The lines of input that the windows of an output row meet.
  struct Lines {
    const float* x;  ///< the image, or the plane of a channel
    const PoolWindow *depth, *height;
  };

  void compute_row(const float* x, int64_t row, float* y, std::byte* scratch) const {
    const int64_t height = shape_.axes[1].out, depth = shape_.axes[0].out;
    const int64_t image = shape_.in_pixels() * (shape_.channels_last ? shape_.channels : 1);
    const Lines lines{x + row / height / depth * image, &shape_.windows[0][size_t(row / height % depth)],
                      &shape_.windows[1][size_t(row % height)]};
    auto** taps = reinterpret_cast<const float**>(scratch);
    auto* line = reinterpret_cast<float*>(scratch + size_t(shape_.taps()) * sizeof(*taps));
    if (!shape_.channels_last) return plane_row(lines, taps, line, y);
    if (kind_ == PoolKind::kMax) return max_row(lines, taps, line, y);
    for (int64_t column = 0; column < shape_.axes[2].out; ++column) {
      mean_pixel(lines, shape_.windows[2][size_t(column)], taps, y + column * shape_.channels);
    }
  }

  /// Calls f(address of the first float of the line) for each line of the window.
  template <class F>
  void for_lines(const Lines& lines, F&& f) const {
    const int64_t line = shape_.axes[2].in * (shape_.channels_last ? shape_.channels : 1);
    for (int64_t d = lines.depth->begin; d < lines.depth->end; ++d) {
      const int64_t z = lines.depth->origin + d * shape_.axes[0].dilation;
      for (int64_t h = lines.height->begin; h < lines.height->end; ++h) {
        const int64_t row = lines.height->origin + h * shape_.axes[1].dilation;
        f(lines.x + (z * shape_.axes[1].in + row) * line);
      }
    }
  }

  float divisor(const Lines& lines, const PoolWindow& w, int64_t inside) const {
    const int64_t counted = lines.depth->counted * lines.height->counted * w.counted;
    return float(std::max<int64_t>(1, kind_ == PoolKind::kMeanWithPadding ? counted : inside));
  }

  void mean_pixel(const Lines& lines, const PoolWindow& w, const float** taps, float* y) const {
    int64_t count = 0;
    for_lines(lines, [&](const float* line) {
      for (int64_t k = w.begin; k < w.end; ++k) {
        taps[count++] = line + (w.origin + k * shape_.axes[2].dilation) * shape_.channels;
      }
    });
    kernels_.mean_f32(taps, count, divisor(lines, w, count), shape_.channels, y);
  }

  /// The lines of the window become one, then its columns.
  void max_row(const Lines& lines, const float** taps, float* line, float* y) const {
    const int64_t channels = shape_.channels, step = shape_.axes[2].dilation;
    int64_t count = 0;
    for_lines(lines, [&](const float* x) { taps[count++] = x; });
    if (count == 0) return void(std::fill_n(y, row_floats_, kLowest));
    kernels_.max_f32(taps, count, shape_.axes[2].in * channels, line);
    for (int64_t column = 0; column < shape_.axes[2].out; ++column, y += channels) {
      const PoolWindow& w = shape_.windows[2][size_t(column)];
      if (w.begin >= w.end) {
        std::fill_n(y, channels, kLowest);
      } else {
        kernels_.max_rows_f32(line + (w.origin + w.begin * step) * channels, w.end - w.begin, step * channels, channels,
                              y);
      }
    }
  }

  void plane_row(const Lines& lines, const float** taps, float* line, float* y) const {
    int64_t count = 0;
    for_lines(lines, [&](const float* x) { taps[count++] = x; });
    const int64_t width = shape_.axes[2].in;
    if (kind_ != PoolKind::kMax) {
      kernels_.mean_f32(taps, count, 1.0f, width, line);
    } else if (count > 0) {
      kernels_.max_f32(taps, count, width, line);
    }
    for (int64_t column = 0; column < shape_.axes[2].out; ++column) {
      const PoolWindow& w = shape_.windows[2][size_t(column)];
      const int64_t inside = count * (w.end - w.begin);
      y[column] = kind_ != PoolKind::kMax ? sum_columns(line, w) / divisor(lines, w, inside)
                  : inside > 0            ? max_columns(line, w)
                                          : kLowest;
    }
  }

  float sum_columns(const float* line, const PoolWindow& w) const {
    float sum = 0.0f;
    for (int64_t k = w.begin; k < w.end; ++k) sum += line[w.origin + k * shape_.axes[2].dilation];
    return sum;
  }

  float max_columns(const float* line, const PoolWindow& w) const {
    float best = kLowest;
    for (int64_t k = w.begin; k < w.end; ++k) {
      const float value = line[w.origin + k * shape_.axes[2].dilation];
      best = value > best || value != value ? value : best;
    }
    return best;
  }

  PoolKind kind_;
  PoolShape shape_;
  PoolKernels kernels_;
  int64_t rows_, row_floats_;
};

/// Windows that are whole images. Chunks are blocks of channels of one image, or several planes.
class GlobalPoolFloat final : public Kernel {
 public:
  GlobalPoolFloat(PoolKind kind, const PoolShape& shape, const PoolKernels& kernels)
      : kernels_(kernels),
        max_(kind == PoolKind::kMax),
        channels_last_(shape.channels_last),
        batch_(shape.batch),
        channels_(shape.channels),
        pixels_(shape.in_pixels()) {
    constexpr int64_t kVectors = 64;  // floats: blocks of whole vectors, on every instruction set
    block_ = std::max<int64_t>(1, kChunkElements / std::max<int64_t>(1, pixels_) / kVectors) * kVectors;
    blocks_ = ceil_div(channels_, block_);
  }

  void run(KernelContext& context) const override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).data<float>();
    if (pixels_ == 0) return void(std::fill_n(y, batch_ * channels_, max_ ? kLowest : 0.0f));
    context.executor().parallel_for(batch_ * blocks_, [&](int64_t chunk, int) {
      const int64_t n = chunk / blocks_, c = chunk % blocks_ * block_;
      const int64_t count = std::min(block_, channels_ - c);
      if (channels_last_) return rows(x + n * pixels_ * channels_ + c, count, y + n * channels_ + c);
      for (int64_t plane = n * channels_ + c, end = plane + count; plane < end; ++plane) {
        y[plane] = reduce_plane(x + plane * pixels_);
      }
    });
  }

 private:
  void rows(const float* x, int64_t count, float* y) const {
    if (max_) return kernels_.max_rows_f32(x, pixels_, channels_, count, y);
    kernels_.mean_rows_f32(x, pixels_, channels_, float(pixels_), count, y);
  }
  float reduce_plane(const float* x) const {
    return max_ ? kernels_.maximum_f32(x, pixels_) : kernels_.sum_f32(x, pixels_) / float(pixels_);
  }

  PoolKernels kernels_;
  bool max_, channels_last_;
  int64_t batch_, channels_, pixels_;
  int64_t block_, blocks_;
};

}  // namespace

KernelPtr make_pool_float(PoolKind kind, PoolShape shape, Isa isa) {
  return std::make_unique<PoolFloat>(kind, std::move(shape), kernel_table(isa).pool);
}

KernelPtr make_global_pool_float(PoolKind kind, PoolShape shape, Isa isa) {
  return std::make_unique<GlobalPoolFloat>(kind, shape, kernel_table(isa).pool);
}

}  // namespace linnet
