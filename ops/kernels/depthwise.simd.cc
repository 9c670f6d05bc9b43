#include "kernels/depthwise.h"

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The kernel positions [begin, end) along an axis whose input lies inside the image, and the input of position 0.
struct Window {
  int64_t begin, end, origin;
};

Window window_at(const DepthwiseShape& s, int axis, int64_t out) {
  const int64_t origin = out * s.stride[axis] - s.pad_begin[axis], step = s.dilation[axis];
  const int64_t begin = origin < 0 ? ceil_div(-origin, step) : 0;
  const int64_t end = s.in[axis] > origin ? ceil_div(s.in[axis] - origin, step) : 0;
  return {begin, end < s.kernel[axis] ? end : s.kernel[axis], origin};
}

/// One output row: its image, the kernel rows that meet it, and where it is written.
struct Row {
  const DepthwiseShape* shape;
  const float* x;  ///< the image
  const float* w;
  const Epilogue* epilogue;
  float* y;             ///< first value of the row
  int64_t first_pixel;  ///< of the whole output
  Window depth, height;
};

/// Calls f(line of x, kernel row of w) for all kernel rows inside the image.
template <class F>
inline void for_kernel_rows(const Row& row, F&& f) {
  const DepthwiseShape& s = *row.shape;
  for (int64_t d = row.depth.begin; d < row.depth.end; ++d) {
    for (int64_t h = row.height.begin; h < row.height.end; ++h) {
      const int64_t line = (row.depth.origin + d * s.dilation[0]) * s.in[1] + row.height.origin + h * s.dilation[1];
      f(row.x + line * s.in[2] * s.channels, row.w + (d * s.kernel[1] + h) * s.kernel[2] * s.channels);
    }
  }
}

/// Adds up to kPixels adjacent outputs from `first` on, one vector of channels from c on, for any kernel width, stride
/// and dilation.
template <int kPixels>
inline void gather(const Row& row, int64_t first, int64_t count, int64_t c, F32* sums) {
  const DepthwiseShape& s = *row.shape;
  for_kernel_rows(row, [&](const float* line, const float* w) {
    for (int64_t k = 0; k < s.kernel[2]; ++k) {
      const F32 weight = load(w + k * s.channels + c);
      const int64_t origin = first * s.stride[2] - s.pad_begin[2] + k * s.dilation[2];
#pragma GCC unroll 8
      for (int p = 0; p < kPixels; ++p) {
        const int64_t column = origin + p * s.stride[2];
        if (p >= count || column < 0 || column >= s.in[2]) continue;
        sums[p] = xsimd::fma(load(line + column * s.channels + c), weight, sums[p]);
      }
    }
  });
}

/// Stores the last `lanes` lanes: the others are of the vector before, and are not computed twice in case y is the
/// residual itself.
inline void store_last(float* y, F32 v, int64_t lanes) {
  float buffer[kLanes];
  store(buffer, v);
  for (int64_t i = kLanes - lanes; i < kLanes; ++i) y[i] = buffer[i];
}

/// Pixels of an output row: the first, every step-th one after it.
struct Pixels {
  int64_t first, step, count;
};

/// Residual, clamp and activation of the sums of pixels, one vector of channels from c on.
template <int kPixels>
inline void finish(const Row& row, const Pixels& pixels, int64_t c, F32* values) {
  const Epilogue& e = *row.epilogue;
  if (e.residual) {
    const float* residual = e.residual + (row.first_pixel + pixels.first) * e.residual_pitch + c;
    LINNET_UNROLL for (int p = 0; p < kPixels; ++p) {
      if (p < pixels.count) values[p] += load(residual + p * pixels.step * e.residual_pitch);
    }
  }
  const F32 low(e.low), high(e.high);
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = at_most(high, at_least(low, values[p]));
  if (!e.activation) return;
  float buffer[kPixels * kLanes];
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p) store(buffer + p * kLanes, values[p]);
  e.activation(buffer, buffer, pixels.count * kLanes, e.alpha, e.beta);
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = load(buffer + p * kLanes);
}

/// Computes pixels; add_sums(c, values) adds up one vector of each.
template <int kPixels, class AddSums>
[[gnu::always_inline]] inline void compute_block(const Row& row, const Pixels& pixels, const AddSums& add_sums) {
  const int64_t channels = row.shape->channels, pitch = pixels.step * channels;
  const Epilogue& e = *row.epilogue;
  for (int64_t done = 0; done < channels; done += kLanes) {
    const int64_t lanes = channels - done < kLanes ? channels - done : kLanes;
    const int64_t c = done + lanes - kLanes;
    const F32 bias = e.bias ? load(e.bias + c) : F32(0.0f);
    F32 values[kPixels];
    LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = bias;
    add_sums(c, values);
    finish<kPixels>(row, pixels, c, values);
    float* y = row.y + pixels.first * channels + c;
    LINNET_UNROLL for (int p = 0; p < kPixels; ++p, y += pitch) {
      if (p >= pixels.count) break;
      if (lanes == kLanes) {
        store(y, values[p]);
      } else {
        store_last(y, values[p], lanes);
      }
    }
  }
}

/// The widths and heights of images are often multiples of 7.
constexpr int kPixels = 7;
constexpr int kMostKernelRows = 16;

/// The kernel rows that meet an output row.
struct Lines {
  const float* x[kMostKernelRows];
  const float* w[kMostKernelRows];
  int count = 0;

  explicit Lines(const Row& row) {
    for_kernel_rows(row, [this](const float* line, const float* weights) {
      x[count] = line;
      w[count++] = weights;
    });
  }
};

/// Adds the products of one input column to the sums of all pixels whose window it lies in.
template <int kWidth, int kStride>
[[gnu::always_inline]] inline void add_column(F32 column, int j, const F32 (&weights)[kWidth], F32* sums) {
  LINNET_UNROLL for (int k = 0; k < kWidth; ++k) {
    const int p = j - k;
    if (p >= 0 && p % kStride == 0 && p / kStride < kPixels) {
      sums[p / kStride] = xsimd::fma(column, weights[k], sums[p / kStride]);
    }
  }
}

/// Sums of kPixels adjacent pixels; every input column is loaded once per kernel row. load_column(line, j) loads the
/// j-th of them.
template <int kWidth, int kStride, class LoadColumn>
[[gnu::always_inline]] inline void slide(const Lines& lines, int64_t channels, int64_t c, F32* sums,
                                         const LoadColumn& load_column) {
  for (int i = 0; i < lines.count; ++i) {
    F32 weights[kWidth];
    LINNET_UNROLL for (int k = 0; k < kWidth; ++k) weights[k] = load(lines.w[i] + k * channels + c);
    LINNET_UNROLL for (int j = 0; j < (kPixels - 1) * kStride + kWidth; ++j) {
      add_column<kWidth, kStride>(load_column(lines.x[i] + c, j), j, weights, sums);
    }
  }
}

/// The input column of the first window position of a pixel.
inline int64_t origin_of(const DepthwiseShape& s, int64_t pixel) { return pixel * s.stride[2] - s.pad_begin[2]; }

/// kPixels pixels whose windows lie inside the image.
template <int kWidth, int kStride>
[[gnu::noinline]] void inner_block(const Row& row, const Lines& lines, int64_t first) {
  const DepthwiseShape& s = *row.shape;
  const int64_t origin = origin_of(s, first) * s.channels, step = s.dilation[2] * s.channels;
  compute_block<kPixels>(
      row, {first, s.dilation[2], kPixels}, [&](int64_t c, F32 * sums) __attribute__((always_inline)) {
        slide<kWidth, kStride>(
            lines, s.channels, c, sums, [&](const float* line, int j) __attribute__((always_inline)) {
              return load(line + origin + j * step);
            });
      });
}

/// Any pixels: columns outside the image, or that none of them needs, are zeros.
template <int kWidth, int kStride>
[[gnu::noinline]] void edge_block(const Row& row, const Lines& lines, const Pixels& pixels) {
  constexpr int kColumns = (kPixels - 1) * kStride + kWidth;
  static constexpr float kZeros[kLanes] = {};
  const DepthwiseShape& s = *row.shape;
  int64_t offsets[kColumns];  // -1: zeros
  for (int j = 0; j < kColumns; ++j) {
    const int64_t column = origin_of(s, pixels.first) + j * s.dilation[2];
    const bool needed = j < (pixels.count - 1) * kStride + kWidth && column >= 0 && column < s.in[2];
    offsets[j] = needed ? column * s.channels : -1;
  }
  compute_block<kPixels>(
      row, pixels, [&](int64_t c, F32 * sums) __attribute__((always_inline)) {
        slide<kWidth, kStride>(
            lines, s.channels, c, sums, [&](const float* line, int j) __attribute__((always_inline)) {
              return load(offsets[j] < 0 ? kZeros : line + offsets[j]);
            });
      });
}

/// A dilated window meets every dilation-th pixel: the pixels of each phase are as those of a window without dilation.
template <int kWidth, int kStride>
void sliding_row(const Row& row) {
  const DepthwiseShape& s = *row.shape;
  const int64_t step = s.dilation[2], extent = ((kPixels - 1) * kStride + kWidth - 1) * step + 1;
  const Lines lines(row);
  for (int64_t phase = 0; phase < step && phase < s.out[2]; ++phase) {
    for (int64_t first = phase; first < s.out[2]; first += kPixels * step) {
      const int64_t left = ceil_div(s.out[2] - first, step);
      const Pixels pixels{first, step, left < kPixels ? left : kPixels};
      const int64_t origin = origin_of(s, first);
      if (pixels.count == kPixels && origin >= 0 && origin + extent <= s.in[2]) {
        inner_block<kWidth, kStride>(row, lines, first);
      } else {
        edge_block<kWidth, kStride>(row, lines, pixels);
      }
    }
  }
}

void any_row(const Row& row) {
  constexpr int64_t kAnyPixels = 8;
  const int64_t width = row.shape->out[2];
  for (int64_t first = 0; first < width; first += kAnyPixels) {
    const int64_t count = width - first < kAnyPixels ? width - first : kAnyPixels;
    compute_block<kAnyPixels>(
        row, {first, 1, count}, [&](int64_t c, F32 * sums) __attribute__((always_inline)) {
          gather<kAnyPixels>(row, first, count, c, sums);
        });
  }
}

/// Fewer channels than lanes: one value at a time.
void narrow_row(const Row& row) {
  const DepthwiseShape& s = *row.shape;
  const Epilogue& e = *row.epilogue;
  for (int64_t pixel = 0; pixel < s.out[2]; ++pixel) {
    const Window columns = window_at(s, 2, pixel);
    for (int64_t c = 0; c < s.channels; ++c) {
      float sum = e.bias ? e.bias[c] : 0.0f;
      for_kernel_rows(row, [&](const float* line, const float* w) {
        for (int64_t k = columns.begin; k < columns.end; ++k) {
          sum += line[(columns.origin + k * s.dilation[2]) * s.channels + c] * w[k * s.channels + c];
        }
      });
      if (e.residual) sum += e.residual[(row.first_pixel + pixel) * e.residual_pitch + c];
      sum = sum < e.low ? e.low : sum;
      row.y[pixel * s.channels + c] = sum > e.high ? e.high : sum;
    }
  }
  if (e.activation) e.activation(row.y, row.y, s.out[2] * s.channels, e.alpha, e.beta);
}

using RowFunction = void (*)(const Row& row);

RowFunction choose_row(const DepthwiseShape& s) {
  if (s.channels < kLanes) return narrow_row;
  if ((s.dilation[2] != 1 && s.stride[2] != 1) || s.kernel[0] * s.kernel[1] > kMostKernelRows) return any_row;
  const int64_t width = s.kernel[2], stride = s.stride[2];
  if (stride == 1) {
    if (width == 3) return sliding_row<3, 1>;
    if (width == 5) return sliding_row<5, 1>;
    if (width == 7) return sliding_row<7, 1>;
  }
  if (stride == 2) {
    if (width == 3) return sliding_row<3, 2>;
    if (width == 5) return sliding_row<5, 2>;
    if (width == 7) return sliding_row<7, 2>;
  }
  return any_row;
}

void rows_f32(const DepthwiseShape& s, const float* x, const float* w, const Epilogue& epilogue, float* y,
              int64_t first_row, int64_t last_row) {
  const RowFunction compute = choose_row(s);
  const int64_t image = s.in[0] * s.in[1] * s.in[2] * s.channels;
  for (int64_t r = first_row; r < last_row; ++r) {
    const int64_t height = r % s.out[1], depth = r / s.out[1] % s.out[0], n = r / s.out[1] / s.out[0];
    const int64_t pixel = r * s.out[2];
    compute({&s, x + n * image, w, &epilogue, y + pixel * s.channels, pixel, window_at(s, 0, depth),
             window_at(s, 1, height)});
  }
}

}  // namespace

void fill(DepthwiseKernels& kernels);
void fill(DepthwiseKernels& kernels) { kernels.rows_f32 = rows_f32; }

}  // namespace linnet::LINNET_SIMD_NS
