#include "kernels/depthwise.h"

#include "kernels/vector_math.h"
#include "partition/parts.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Adds up to kPixels adjacent outputs from `first` on, for one vector of channels and any kernel width, stride and
/// dilation. load_channels(pixel or tap) loads a vector.
template <int kPixels, class LoadChannels>
[[gnu::always_inline]] inline void gather(const DepthwiseRow& row, int64_t first, int64_t count, F32* sums,
                                          const LoadChannels& load_channels) {
  for (int i = 0; i < row.lines; ++i) {
    for (int64_t k = 0; k < row.kernel; ++k) {
      const F32 weight = load_channels(row.w[i] + k * row.w_pitch);
      const int64_t origin = first * row.stride - row.pad_begin + k * row.dilation;
#pragma GCC unroll 8
      for (int p = 0; p < kPixels; ++p) {
        const int64_t column = origin + p * row.stride;
        if (p >= count || column < 0 || column >= row.in) continue;
        sums[p] = xsimd::fma(load_channels(row.x[i] + column * row.x_pitch), weight, sums[p]);
      }
    }
  }
}

/// Loads a vector into a register. Otherwise GCC loads it again for each multiplication.
[[gnu::always_inline]] inline F32 load_once(const float* x) {
  auto value = load(x).data;
#if defined(__x86_64__)
  __asm__("" : "+v"(value));
#endif
  return value;
}

/// Stores the last `lanes` lanes. The others belong to the previous vector. They are not computed twice, as y may be
/// the residual itself.
inline void store_last(float* y, F32 v, int64_t lanes) {
  float buffer[kLanes];
  store(buffer, v);
  for (int64_t i = kLanes - lanes; i < kLanes; ++i) y[i] = buffer[i];
}

/// Pixels of an output row: the first one and every step-th one after it.
struct Pixels {
  int64_t first, step, count;
};

/// Applies residual, slope, clamp and activation to the sums of pixels, for one vector of channels from c on.
template <int kPixels>
inline void finish(const DepthwiseRow& row, const Pixels& pixels, int64_t c, F32* values) {
  const Epilogue& e = row.epilogue;
  if (e.residual) {
    const float* residual = e.residual + pixels.first * e.residual_pitch + c;
    LINNET_UNROLL for (int p = 0; p < kPixels; ++p) {
      if (p < pixels.count) values[p] += load(residual + p * pixels.step * e.residual_pitch);
    }
  }
  if (e.slope) {
    const F32 slope = load(e.slope + c);
    LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = prelu(values[p], slope);
  }
  const F32 low(e.low), high(e.high);
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = at_most(high, at_least(low, values[p]));
  if (!e.activation) return;
  float buffer[kPixels * kLanes];
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p) store(buffer + p * kLanes, values[p]);
  e.activation(buffer, buffer, pixels.count * kLanes, e.alpha, e.beta);
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = load(buffer + p * kLanes);
}

/// Computes pixels. add_sums(c, values) adds up one vector of each pixel.
template <int kPixels, class AddSums>
[[gnu::always_inline]] inline void compute_block(const DepthwiseRow& row, const Pixels& pixels,
                                                 const AddSums& add_sums) {
  const int64_t channels = row.channels, pitch = pixels.step * row.y_pitch;
  const Epilogue& e = row.epilogue;
  for (int64_t done = 0; done < channels; done += kLanes) {
    const int64_t lanes = channels - done < kLanes ? channels - done : kLanes;
    const int64_t c = done + lanes - kLanes;
    const F32 bias = e.bias ? load(e.bias + c) : F32(0.0f);
    F32 values[kPixels];
    LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = bias;
    add_sums(c, values);
    finish<kPixels>(row, pixels, c, values);
    float* y = row.y + pixels.first * row.y_pitch + c;
    LINNET_UNROLL for (int p = 0; p < kPixels; ++p, y += pitch) {
      if (p >= pixels.count) break;
      if (lanes == kLanes || !e.residual) {
        store(y, values[p]);
      } else {
        store_last(y, values[p], lanes);
      }
    }
  }
}

/// The number of pixels of a block; the widths and heights of images are often multiples of 7.
constexpr int kPixels = 7;

/// The number of input columns that the windows of kPixels adjacent pixels read.
template <int kWidth, int kStride>
constexpr int kColumns = (kPixels - 1) * kStride + kWidth;

/// Adds the products of one input column to the sums of all pixels whose window contains it.
template <int kWidth, int kStride>
[[gnu::always_inline]] inline void add_column(F32 column, int j, const F32 (&weights)[kWidth], F32* sums) {
  LINNET_UNROLL for (int k = 0; k < kWidth; ++k) {
    const int p = j - k;
    if (p >= 0 && p % kStride == 0 && p / kStride < kPixels) {
      sums[p / kStride] = xsimd::fma(column, weights[k], sums[p / kStride]);
    }
  }
}

/// Columns of the input from `origin` on, `step` floats apart. Those in [first, end) are not padding.
struct Columns {
  int64_t origin, step;
  int first, end;
};

/// Adds up kPixels adjacent pixels. Every input column is loaded once per kernel row.
template <int kWidth, int kStride>
[[gnu::always_inline]] inline void slide(const DepthwiseRow& row, const Columns& columns, int64_t c, F32* sums) {
  for (int i = 0; i < row.lines; ++i) {
    F32 weights[kWidth];
    LINNET_UNROLL for (int k = 0; k < kWidth; ++k) weights[k] = load(row.w[i] + k * row.w_pitch + c);
    const float* x = row.x[i] + columns.origin + c;
    LINNET_UNROLL for (int j = 0; j < kColumns<kWidth, kStride>; ++j, x += columns.step) {
      if (j < columns.first || j >= columns.end) continue;
      add_column<kWidth, kStride>(load_once(x), j, weights, sums);
    }
  }
}

template <int kWidth, int kStride>
[[gnu::always_inline]] inline void slide_block(const DepthwiseRow& row, const Pixels& pixels, const Columns& columns) {
  compute_block<kPixels>(
      row, pixels, [&](int64_t c, F32 * sums) __attribute__((always_inline)) {
        slide<kWidth, kStride>(row, columns, c, sums);
      });
}

/// Returns the input column of a pixel's first window position.
inline int64_t origin_of(const DepthwiseRow& row, int64_t pixel) { return pixel * row.stride - row.pad_begin; }

/// Computes kPixels pixels whose windows are inside the image.
template <int kWidth, int kStride>
[[gnu::noinline]] void inner_block(const DepthwiseRow& row, int64_t first) {
  slide_block<kWidth, kStride>(
      row, {first, row.dilation, kPixels},
      {origin_of(row, first) * row.x_pitch, row.dilation * row.x_pitch, 0, kColumns<kWidth, kStride>});
}

/// Computes any pixels. Skips columns that are outside the image or that no pixel needs.
template <int kWidth, int kStride>
[[gnu::noinline]] void edge_block(const DepthwiseRow& row, const Pixels& pixels) {
  const int64_t origin = origin_of(row, pixels.first), needed = (pixels.count - 1) * kStride + kWidth;
  const int64_t first = origin < 0 ? ceil_div(-origin, row.dilation) : 0,
                inside = ceil_div(row.in - origin, row.dilation);
  slide_block<kWidth, kStride>(row, pixels,
                               {origin * row.x_pitch, row.dilation * row.x_pitch, int(first < needed ? first : needed),
                                int(inside < needed ? inside : needed)});
}

/// A dilated window reads every dilation-th pixel, so the pixels of each phase are computed like those of a window
/// without dilation.
template <int kWidth, int kStride>
void sliding_row(const DepthwiseRow& row) {
  const int64_t step = row.dilation, extent = (kColumns<kWidth, kStride> - 1) * step + 1;
  for (int64_t phase = 0; phase < step && phase < row.out; ++phase) {
    for (int64_t first = phase; first < row.out; first += kPixels * step) {
      const int64_t left = ceil_div(row.out - first, step);
      const Pixels pixels{first, step, left < kPixels ? left : kPixels};
      const int64_t origin = origin_of(row, first);
      if (pixels.count == kPixels && origin >= 0 && origin + extent <= row.in) {
        inner_block<kWidth, kStride>(row, first);
      } else {
        edge_block<kWidth, kStride>(row, pixels);
      }
    }
  }
}

constexpr int64_t kAnyPixels = 8;

void any_row(const DepthwiseRow& row) {
  for (int64_t first = 0; first < row.out; first += kAnyPixels) {
    const int64_t count = row.out - first < kAnyPixels ? row.out - first : kAnyPixels;
    compute_block<kAnyPixels>(
        row, {first, 1, count}, [&](int64_t c, F32 * sums) __attribute__((always_inline)) {
          gather<kAnyPixels>(row, first, count, sums, [c](const float* x) { return load(x + c); });
        });
  }
}

/// Computes a row with fewer channels than lanes: each pixel uses a part of a vector.
void narrow_row(const DepthwiseRow& row) {
  const Epilogue& e = row.epilogue;
  const auto load_channels = [n = row.channels](const float* x) { return load_part(x, n); };
  const F32 bias = e.bias ? load_channels(e.bias) : F32(0.0f), slope = e.slope ? load_channels(e.slope) : F32(1.0f);
  for (int64_t first = 0; first < row.out; first += kAnyPixels) {
    const int64_t count = row.out - first < kAnyPixels ? row.out - first : kAnyPixels;
    F32 values[kAnyPixels];
    LINNET_UNROLL for (int p = 0; p < kAnyPixels; ++p) values[p] = bias;
    gather<kAnyPixels>(row, first, count, values, load_channels);
    for (int64_t p = 0; p < count; ++p) {
      F32 value = values[p];
      float* y = row.y + (first + p) * row.y_pitch;
      if (e.residual) value += load_channels(e.residual + (first + p) * e.residual_pitch);
      if (e.slope) value = prelu(value, slope);
      store_part(y, at_most(F32(e.high), at_least(F32(e.low), value)), row.channels);
      if (e.activation) e.activation(y, y, row.channels, e.alpha, e.beta);
    }
  }
}

using RowFunction = void (*)(const DepthwiseRow& row);

RowFunction choose_row(const DepthwiseRow& row) {
  if (row.channels < kLanes) return narrow_row;
  if (row.dilation != 1 && row.stride != 1) return any_row;
  const int64_t width = row.kernel, stride = row.stride;
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

void row_f32(const DepthwiseRow& row) { choose_row(row)(row); }

}  // namespace

void fill(DepthwiseKernels& kernels);
void fill(DepthwiseKernels& kernels) { kernels.row_f32 = row_f32; }

}  // namespace linnet::LINNET_SIMD_NS
