#include "pool/window_pool.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "elements/dispatch.h"
#include "kernels/kernels_for.h"
#include "kernels/pool.h"
#include "kernels/quantize.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"

namespace linnet {
namespace {

constexpr int64_t kWindowElementsPerNanosecond = 8;

template <class T>
constexpr T kLowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                           : std::numeric_limits<T>::lowest();

template <class T>
const MaxKernels<T>& max_kernels(const PoolKernels& k) {
  if constexpr (std::is_same_v<T, float>)
    return k.max_f32;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return k.max_u8;
  else
    return k.max_s8;
}

/// Means of rows of T, as PoolKernels computes them, or quantised to bytes again. In that case the scratch holds the
/// floats.
template <class T, class Y>
class RowMeans {
 public:
  RowMeans(Isa isa, const PoolGrids& grids)
      : kernels_(kernels_for<PoolKernels>(isa)), grid_(grids.x), y_grid_(grids.y.value_or(PoolGrid{})) {
    if constexpr (sizeof(Y) == 1) quantize_ = kernels_for<QuantizeKernels>(isa).of(dtype_of<Y>).quantize;
  }

  static size_t scratch_bytes(int64_t n) { return sizeof(Y) == 1 ? dtype_bytes(DType::kFloat32, n) : 0; }

  void taps(const T* const* taps, int64_t count, float divisor, int64_t n, Y* y, std::byte* scratch) const {
    float* means = floats(y, scratch);
    if constexpr (std::is_same_v<T, float>)
      kernels_.mean_f32(taps, count, divisor, n, means);
    else
      bytes().taps(taps, count, n, offset(count), grid_.scale / divisor, means);
    quantize(means, n, y);
  }
  void rows(const T* x, int64_t count, int64_t pitch, int64_t n, Y* y, std::byte* scratch) const {
    float* means = floats(y, scratch);
    const auto divisor = float(count);
    if constexpr (std::is_same_v<T, float>)
      kernels_.mean_rows_f32(x, count, pitch, divisor, n, means);
    else
      bytes().rows(x, count, pitch, n, offset(count), grid_.scale / divisor, means);
    quantize(means, n, y);
  }
  Y of_nothing() const { return Y(y_grid_.zero_point); }

 private:
  static float* floats(Y* y, std::byte* scratch) {
    return reinterpret_cast<float*>(sizeof(Y) == 1 ? scratch : reinterpret_cast<std::byte*>(y));
  }
  void quantize(const float* means, int64_t n, Y* y) const {
    if (quantize_) quantize_(means, y, n, y_grid_.scale, float(y_grid_.zero_point));
  }
  const ByteMeanKernels<T>& bytes() const {
    if constexpr (std::is_same_v<T, uint8_t>)
      return kernels_.mean_u8;
    else
      return kernels_.mean_s8;
  }
  int32_t offset(int64_t count) const { return int32_t(count) * grid_.zero_point; }

  PoolKernels kernels_;
  PoolGrid grid_, y_grid_;
  decltype(GridKernels::quantize) quantize_ = nullptr;
};

/// Computes rows of output pixels of channels-last data. For maxima, the lines of the window are reduced to one, then
/// its columns. For means, the pixels of each window are reduced.
template <class T, class Y>
class WindowPool final : public Kernel {
 public:
  WindowPool(PoolKind kind, PoolShape shape, Isa isa, const PoolGrids& grids)
      : kind_(kind), shape_(std::move(shape)), kernels_(kernels_for<PoolKernels>(isa)), means_(isa, grids) {
    rows_ = checked_mul(checked_mul(shape_.batch, shape_.axes[0].out), shape_.axes[1].out);
    row_elements_ = checked_mul(shape_.axes[2].out, shape_.channels);
  }

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    Y* y = context.output(0).data<Y>();
    parallel_items(context.executor(), rows_, row_elements_ * shape_.taps(), [&](int64_t row, int64_t end, int worker) {
      Checkpoints checkpoints;
      for (; row < end; ++row) compute_row(x, row, y + row * row_elements_, context.scratch(worker), checkpoints);
    });
  }

  size_t scratch_bytes() const override {
    const int64_t taps = checked_mul(shape_.taps(), int64_t{sizeof(const T*)});
    const auto line = size_t(checked_mul(line_elements(), int64_t{sizeof(T)}));
    return size_t(checked_add(taps, int64_t(std::max(line, RowMeans<T, Y>::scratch_bytes(shape_.channels)))));
  }

  std::string describe() const override { return "channels-last"; }

 private:
  /// The lines of input in the windows of an output row.
  struct Lines {
    const T* x;  ///< the image
    const PoolWindow *depth, *height;
  };

  int64_t line_elements() const { return checked_mul(shape_.axes[2].in, shape_.channels); }

  void compute_row(const T* x, int64_t row, Y* y, std::byte* scratch, Checkpoints& checkpoints) const {
    const int64_t height = shape_.axes[1].out, depth = shape_.axes[0].out;
    const Lines lines{x + row / height / depth * shape_.in_pixels() * shape_.channels,
                      &shape_.windows[0][size_t(row / height % depth)], &shape_.windows[1][size_t(row % height)]};
    auto** taps = reinterpret_cast<const T**>(scratch);
    auto* line = reinterpret_cast<T*>(scratch + size_t(shape_.taps()) * sizeof(*taps));
    if constexpr (std::is_same_v<T, Y>) {
      if (kind_ == PoolKind::kMax) return max_row(lines, taps, line, y, checkpoints);
    }
    for (int64_t column = 0; column < shape_.axes[2].out; ++column) {
      const PoolWindow& window = shape_.windows[2][size_t(column)];
      mean_pixel(lines, window, taps, y + column * shape_.channels, reinterpret_cast<std::byte*>(line));
      checkpoints.add(shape_.taps() * (1 + shape_.channels / kWindowElementsPerNanosecond));
    }
  }

  /// Calls f(address of the first element of the line) for each line of the window.
  template <class F>
  void for_lines(const Lines& lines, F&& f) const {
    const int64_t line = line_elements();
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

  void mean_pixel(const Lines& lines, const PoolWindow& w, const T** taps, Y* y, std::byte* scratch) const {
    int64_t count = 0;
    for_lines(lines, [&](const T* line) {
      for (int64_t k = w.begin; k < w.end; ++k) {
        taps[count++] = line + (w.origin + k * shape_.axes[2].dilation) * shape_.channels;
      }
    });
    means_.taps(taps, count, divisor(lines, w, count), shape_.channels, y, scratch);
  }

  /// Reduces the lines of the window to one, then its columns.
  void max_row(const Lines& lines, const T** taps, T* line, T* y, Checkpoints& checkpoints) const {
    const int64_t channels = shape_.channels, step = shape_.axes[2].dilation;
    if (line_elements() == 0) return void(std::fill_n(y, row_elements_, kLowest<T>));  // there is no room for taps
    int64_t count = 0;
    for_lines(lines, [&](const T* x) { taps[count++] = x; });
    if (count == 0) return void(std::fill_n(y, row_elements_, kLowest<T>));
    max_kernels<T>(kernels_).taps(taps, count, line_elements(), line);
    for (int64_t column = 0; column < shape_.axes[2].out; ++column, y += channels) {
      const PoolWindow& w = shape_.windows[2][size_t(column)];
      checkpoints.add((w.end - w.begin) * (1 + channels / kWindowElementsPerNanosecond));
      if (w.begin >= w.end) {
        std::fill_n(y, channels, kLowest<T>);
      } else {
        max_kernels<T>(kernels_).rows(line + (w.origin + w.begin * step) * channels, w.end - w.begin, step * channels,
                                      channels, y);
      }
    }
  }

  PoolKind kind_;
  PoolShape shape_;
  PoolKernels kernels_;
  RowMeans<T, Y> means_;
  int64_t rows_, row_elements_;
};

/// Pools windows that are whole images. A chunk is a block of channels of one image, or several planes.
template <class T, class Y>
class GlobalPool final : public Kernel {
 public:
  GlobalPool(PoolKind kind, const PoolShape& shape, Isa isa, const PoolGrids& grids)
      : kernels_(kernels_for<PoolKernels>(isa)),
        means_(isa, grids),
        max_(kind == PoolKind::kMax),
        channels_last_(shape.channels_last),
        batch_(shape.batch),
        channels_(shape.channels),
        pixels_(shape.in_pixels()) {
    constexpr int64_t kVectors = 64;  // elements: blocks of whole vectors on every instruction set
    block_ = std::max<int64_t>(1, kChunkElements / std::max<int64_t>(1, pixels_) / kVectors) * kVectors;
    blocks_ = ceil_div(channels_, block_);
  }

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    Y* y = context.output(0).data<Y>();
    if (pixels_ == 0) return void(std::fill_n(y, batch_ * channels_, max_ ? kLowest<Y> : means_.of_nothing()));
    context.executor().parallel_for(batch_ * blocks_, [&](int64_t chunk, int worker) {
      const int64_t n = chunk / blocks_, c = chunk % blocks_ * block_;
      const int64_t count = std::min(block_, channels_ - c);
      if (channels_last_) {
        return rows(x + n * pixels_ * channels_ + c, count, y + n * channels_ + c, context.scratch(worker));
      }
      if constexpr (std::is_same_v<T, Y>) {
        for (int64_t plane = n * channels_ + c, end = plane + count; plane < end; ++plane) {
          y[plane] = reduce_plane(x + plane * pixels_);
        }
      }
    });
  }

  size_t scratch_bytes() const override { return RowMeans<T, Y>::scratch_bytes(block_); }

 private:
  void rows(const T* x, int64_t count, Y* y, std::byte* scratch) const {
    if constexpr (std::is_same_v<T, Y>) {
      if (max_) return max_kernels<T>(kernels_).rows(x, pixels_, channels_, count, y);
    }
    means_.rows(x, pixels_, channels_, count, y, scratch);
  }
  T reduce_plane(const T* x) const {
    if constexpr (std::is_same_v<T, float>) {
      if (!max_) return kernels_.sum_f32(x, pixels_) / float(pixels_);
    }
    return max_kernels<T>(kernels_).line(x, pixels_);
  }

  PoolKernels kernels_;
  RowMeans<T, Y> means_;
  bool max_, channels_last_;
  int64_t batch_, channels_, pixels_;
  int64_t block_, blocks_;
};

template <template <class, class> class Pool, class T>
KernelPtr make_bytes(PoolKind kind, PoolShape shape, Isa isa, const PoolGrids& grids) {
  if (kind == PoolKind::kMax) return std::make_unique<Pool<T, T>>(kind, std::move(shape), isa, grids);
  if (!shape.channels_last || shape.taps() > kMostByteTaps) {
    throw Error(ErrorKind::kUnsupported, str("means of bytes are taken channels-last, of up to ", kMostByteTaps,
                                             " elements, got ", shape.taps()));
  }
  if (grids.y) return std::make_unique<Pool<T, T>>(kind, std::move(shape), isa, grids);
  return std::make_unique<Pool<T, float>>(kind, std::move(shape), isa, grids);
}

template <template <class, class> class Pool>
KernelPtr make(PoolKind kind, PoolShape shape, DType dtype, Isa isa, const PoolGrids& grids) {
  if (dtype == DType::kUint8) return make_bytes<Pool, uint8_t>(kind, std::move(shape), isa, grids);
  if (dtype == DType::kInt8) return make_bytes<Pool, int8_t>(kind, std::move(shape), isa, grids);
  if (dtype != DType::kFloat32) throw_dtype(dtype);
  return std::make_unique<Pool<float, float>>(kind, std::move(shape), isa, grids);
}

}  // namespace

KernelPtr make_window_pool(PoolKind kind, PoolShape shape, DType dtype, Isa isa, const PoolGrids& grids) {
  return make<WindowPool>(kind, std::move(shape), dtype, isa, grids);
}

KernelPtr make_global_pool(PoolKind kind, const PoolShape& shape, DType dtype, Isa isa, const PoolGrids& grids) {
  return make<GlobalPool>(kind, shape, dtype, isa, grids);
}

}  // namespace linnet
