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

/// Applies residual, slope, clamp and activation to the sums of pixels of row `r`, for one vector of channels from c
/// on.
template <int kPixels>
[[gnu::always_inline]] inline void finish(const DepthwiseRow& row, int r, const Pixels& pixels, int64_t c,
                                          F32* values) {
  const Epilogue& e = row.epilogue;
  if (e.residual) {
    const float* residual = e.residual + (r * row.out + pixels.first) * e.residual_pitch + c;
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

/// Stores one vector of each pixel. lanes: those that are stored where the residual may be in the memory of y.
template <int kPixels>
[[gnu::always_inline]] inline void store_pixels(const Pixels& pixels, int64_t pitch, int64_t lanes, const F32* values,
                                                float* y) {
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p, y += pitch) {
    if (p >= pixels.count) break;
    if (lanes == kLanes) {
      store(y, values[p]);
    } else {
      store_last(y, values[p], lanes);
    }
  }
}

/// Computes pixels of kRows rows. add_sums(c, values) adds up one vector of each pixel.
template <int kPixels, int kRows, class AddSums>
[[gnu::always_inline]] inline void compute_block(const DepthwiseRow& row, const Pixels& pixels,
                                                 const AddSums& add_sums) {
  const int64_t channels = row.channels;
  const Epilogue& e = row.epilogue;
  for (int64_t done = 0; done < channels; done += kLanes) {
    const int64_t lanes = channels - done < kLanes ? channels - done : kLanes;
    const int64_t c = done + lanes - kLanes;
    const F32 bias = e.bias ? load(e.bias + c) : F32(0.0f);
    F32 values[kRows * kPixels];
    LINNET_UNROLL for (int p = 0; p < kRows * kPixels; ++p) values[p] = bias;
    add_sums(c, values);
    LINNET_UNROLL for (int r = 0; r < kRows; ++r) {
      finish<kPixels>(row, r, pixels, c, values + r * kPixels);
      store_pixels<kPixels>(pixels, pixels.step * row.y_pitch, e.residual ? lanes : kLanes, values + r * kPixels,
                            row.y + (r * row.out + pixels.first) * row.y_pitch + c);
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

/// Loads the weights of a kernel row.
template <int kWidth>
[[gnu::always_inline]] inline void load_weights(const DepthwiseRow& row, const float* w, int64_t c,
                                                F32 (&weights)[kWidth]) {
  LINNET_UNROLL for (int k = 0; k < kWidth; ++k) weights[k] = load(w + k * row.w_pitch + c);
}

/// Adds one line to the sums of kPixels adjacent pixels. Every input column is loaded once.
template <int kWidth, int kStride>
[[gnu::always_inline]] inline void slide_line(const DepthwiseRow& row, const float* w, const float* x,
                                              const Columns& columns, int64_t c, F32* sums) {
  F32 weights[kWidth];
  load_weights(row, w, c, weights);
  LINNET_UNROLL for (int j = 0; j < kColumns<kWidth, kStride>; ++j, x += columns.step) {
    if (j < columns.first || j >= columns.end) continue;
    add_column<kWidth, kStride>(load_once(x), j, weights, sums);
  }
}

/// The same for the sums of two rows.
template <int kWidth, int kStride>
[[gnu::always_inline]] inline void slide_shared_line(const DepthwiseRow& row, int i, const float* x,
                                                     const Columns& columns, int64_t c, F32* sums) {
  F32 first[kWidth], next[kWidth];
  load_weights(row, row.w[i], c, first);
  load_weights(row, row.w_next[i], c, next);
  LINNET_UNROLL for (int j = 0; j < kColumns<kWidth, kStride>; ++j, x += columns.step) {
    if (j < columns.first || j >= columns.end) continue;
    const F32 column = load_once(x);
    add_column<kWidth, kStride>(column, j, first, sums);
    add_column<kWidth, kStride>(column, j, next, sums + kPixels);
  }
}

/// Adds up kPixels adjacent pixels of kRows rows.
template <int kWidth, int kStride, int kRows>
[[gnu::always_inline]] inline void slide(const DepthwiseRow& row, const Columns& columns, int64_t c, F32* sums) {
  for (int i = 0; i < row.lines; ++i) {
    const float* x = row.x[i] + columns.origin + c;
    if (kRows == 1 || !row.w_next[i]) {
      slide_line<kWidth, kStride>(row, row.w[i], x, columns, c, sums);
    } else if (!row.w[i]) {
      slide_line<kWidth, kStride>(row, row.w_next[i], x, columns, c, sums + (kRows - 1) * kPixels);
    } else {
      slide_shared_line<kWidth, kStride>(row, i, x, columns, c, sums);
    }
  }
}

template <int kWidth, int kStride, int kRows>
[[gnu::always_inline]] inline void slide_block(const DepthwiseRow& row, const Pixels& pixels, const Columns& columns) {
  compute_block<kPixels, kRows>(
      row, pixels, [&](int64_t c, F32 * sums) __attribute__((always_inline)) {
        slide<kWidth, kStride, kRows>(row, columns, c, sums);
      });
}

/// Returns the input column of a pixel's first window position.
inline int64_t origin_of(const DepthwiseRow& row, int64_t pixel) { return pixel * row.stride - row.pad_begin; }

/// Computes kPixels pixels whose windows are inside the image.
template <int kWidth, int kStride, int kRows>
[[gnu::noinline]] void inner_block(const DepthwiseRow& row, int64_t first) {
  slide_block<kWidth, kStride, kRows>(
      row, {first, row.dilation, kPixels},
      {origin_of(row, first) * row.x_pitch, row.dilation * row.x_pitch, 0, kColumns<kWidth, kStride>});
}

/// Computes any pixels. Skips columns that are outside the image or that no pixel needs.
template <int kWidth, int kStride, int kRows>
[[gnu::noinline]] void edge_block(const DepthwiseRow& row, const Pixels& pixels) {
  const int64_t origin = origin_of(row, pixels.first), needed = (pixels.count - 1) * kStride + kWidth;
  const int64_t first = origin < 0 ? ceil_div(-origin, row.dilation) : 0,
                inside = ceil_div(row.in - origin, row.dilation);
  slide_block<kWidth, kStride, kRows>(row, pixels,
                                      {origin * row.x_pitch, row.dilation * row.x_pitch,
                                       int(first < needed ? first : needed), int(inside < needed ? inside : needed)});
}

/// A dilated window reads every dilation-th pixel, so the pixels of each phase are computed like those of a window
/// without dilation.
template <int kWidth, int kStride, int kRows>
void sliding_rows(const DepthwiseRow& row) {
  const int64_t step = row.dilation, extent = (kColumns<kWidth, kStride> - 1) * step + 1;
  for (int64_t phase = 0; phase < step && phase < row.out; ++phase) {
    for (int64_t first = phase; first < row.out; first += kPixels * step) {
      const int64_t left = ceil_div(row.out - first, step);
      const Pixels pixels{first, step, left < kPixels ? left : kPixels};
      const int64_t origin = origin_of(row, first);
      if (pixels.count == kPixels && origin >= 0 && origin + extent <= row.in) {
        inner_block<kWidth, kStride, kRows>(row, first);
      } else {
        edge_block<kWidth, kStride, kRows>(row, pixels);
      }
    }
  }
}

/// Whether the registers hold the sums and weights of two rows.
constexpr bool kPairs = kRegisters == 32;

template <int kWidth, int kStride>
void sliding_row(const DepthwiseRow& row) {
  if constexpr (kPairs) {
    if (row.w_next) return sliding_rows<kWidth, kStride, 2>(row);
  }
  sliding_rows<kWidth, kStride, 1>(row);
}

constexpr int64_t kAnyPixels = 8;

void any_row(const DepthwiseRow& row) {
  for (int64_t first = 0; first < row.out; first += kAnyPixels) {
    const int64_t count = row.out - first < kAnyPixels ? row.out - first : kAnyPixels;
    compute_block<kAnyPixels, 1>(
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

template <int kStride>
RowFunction sliding_row_of(int64_t width) {
  return width == 3   ? sliding_row<3, kStride>
         : width == 5 ? sliding_row<5, kStride>
         : width == 7 ? sliding_row<7, kStride>
                      : nullptr;
}

/// Returns null where no row slides over these sizes.
RowFunction choose_sliding_row(const DepthwiseRow& row) {
  if (row.channels < kLanes) return nullptr;
  if (row.stride == 1) return sliding_row_of<1>(row.kernel);
  return row.stride == 2 && row.dilation == 1 ? sliding_row_of<2>(row.kernel) : nullptr;
}

bool takes_pairs(const DepthwiseRow& row) { return kPairs && choose_sliding_row(row); }

void row_f32(const DepthwiseRow& row) {
  const RowFunction sliding = choose_sliding_row(row);
  (sliding ? sliding : row.channels < kLanes ? narrow_row : any_row)(row);
}

}  // namespace

void fill(DepthwiseKernels& kernels);
void fill(DepthwiseKernels& kernels) {
  kernels.takes_pairs = takes_pairs;
  kernels.row_f32 = row_f32;
}

}  // namespace linnet::LINNET_SIMD_NS
