#include "kernels/depthwise.h"

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int kRegisters = sizeof(F32) == 64 || sizeof(F64) == 8 ? 32 : 16;

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
  int64_t channel, channel_end;  ///< those to compute
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

/// Sums of kPixels adjacent outputs from `first` on, one vector of channels from c on. Every input column is loaded
/// once per kernel row. kEdge: columns outside the image, and those that only pixels from `count` on need, are skipped.
template <int kWidth, int kStride, int kPixels, bool kEdge>
inline void slide(const Row& row, int64_t first, int64_t count, int64_t c, F32* sums) {
  const DepthwiseShape& s = *row.shape;
  const int64_t origin = first * kStride - s.pad_begin[2];
  const int64_t needed = (count - 1) * kStride + kWidth, channels = s.channels;
  for_kernel_rows(row, [&](const float* line, const float* w) {
    F32 weights[kWidth];
#pragma GCC unroll 8
    for (int k = 0; k < kWidth; ++k) weights[k] = load(w + k * channels + c);
    const float* x = line + origin * channels + c;
#pragma GCC unroll 32
    for (int j = 0; j < (kPixels - 1) * kStride + kWidth; ++j) {
      if (kEdge && (origin + j < 0 || origin + j >= s.in[2] || j >= needed)) continue;
      const F32 column = load(x + j * channels);
#pragma GCC unroll 8
      for (int k = 0; k < kWidth; ++k) {
        const int p = j - k;
        if (p < 0 || p % kStride != 0 || p / kStride >= kPixels) continue;
        sums[p / kStride] = xsimd::fma(column, weights[k], sums[p / kStride]);
      }
    }
  });
}

/// The same for any kernel width, stride and dilation.
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

/// Residual, clamp and activation of the sums of `count` adjacent pixels, one vector of channels from c on.
template <int kPixels>
inline void finish(const Row& row, int64_t first, int64_t count, int64_t c, F32* values) {
  const Epilogue& e = *row.epilogue;
  if (e.residual) {
    const float* residual = e.residual + (row.first_pixel + first) * e.residual_pitch + c;
    LINNET_UNROLL for (int p = 0; p < kPixels; ++p) {
      if (p < count) values[p] += load(residual + p * e.residual_pitch);
    }
  }
  const F32 low(e.low), high(e.high);
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = at_most(high, at_least(low, values[p]));
  if (!e.activation) return;
  float buffer[kPixels * kLanes];
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p) store(buffer + p * kLanes, values[p]);
  e.activation(buffer, buffer, count * kLanes, e.alpha, e.beta);
  LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = load(buffer + p * kLanes);
}

/// Computes a row in blocks of kPixels pixels; add_sums(first, count, c, values) adds up one vector of each pixel.
template <int kPixels, class AddSums>
inline void for_blocks(const Row& row, const AddSums& add_sums) {
  const int64_t width = row.shape->out[2], channels = row.shape->channels;
  const Epilogue& e = *row.epilogue;
  for (int64_t first = 0; first < width; first += kPixels) {
    const int64_t count = width - first < kPixels ? width - first : kPixels;
    for (int64_t done = row.channel; done < row.channel_end; done += kLanes) {
      const int64_t lanes = channels - done < kLanes ? channels - done : kLanes;
      const int64_t c = done + lanes - kLanes;
      const F32 bias = e.bias ? load(e.bias + c) : F32(0.0f);
      F32 values[kPixels];
      LINNET_UNROLL for (int p = 0; p < kPixels; ++p) values[p] = bias;
      add_sums(first, count, c, values);
      finish<kPixels>(row, first, count, c, values);
      float* y = row.y + first * channels + c;
      LINNET_UNROLL for (int p = 0; p < kPixels; ++p) {
        if (p >= count) break;
        if (lanes == kLanes) {
          store(y + p * channels, values[p]);
        } else {
          store_last(y + p * channels, values[p], lanes);
        }
      }
    }
  }
}

template <int kWidth, int kStride>
void sliding_row(const Row& row) {
  constexpr int kPixels = kRegisters == 16 && kWidth == 7 ? 6 : 8;
  constexpr int kColumns = (kPixels - 1) * kStride + kWidth;
  const DepthwiseShape& s = *row.shape;
  for_blocks<kPixels>(
      row, [&](int64_t first, int64_t count, int64_t c, F32 * values) __attribute__((always_inline)) {
        const int64_t origin = first * kStride - s.pad_begin[2];
        if (count == kPixels && origin >= 0 && origin + kColumns <= s.in[2]) {
          slide<kWidth, kStride, kPixels, false>(row, first, count, c, values);
        } else {
          slide<kWidth, kStride, kPixels, true>(row, first, count, c, values);
        }
      });
}

void any_row(const Row& row) {
  for_blocks<8>(
      row, [&](int64_t first, int64_t count, int64_t c, F32 * values)
               __attribute__((always_inline)) { gather<8>(row, first, count, c, values); });
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
  if (s.dilation[2] != 1 && s.kernel[2] != 1) return any_row;
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

/// So many channels that the input rows of their windows stay in the first-level cache from one output row to the next.
int64_t channel_block(const DepthwiseShape& s) {
  constexpr int64_t kCacheFloats = 6 * 1024;
  if (s.channels < kLanes || s.kernel[1] == 1) return s.channels;
  const int64_t pixels = s.kernel[0] * s.kernel[1] * s.in[2];
  const int64_t vectors = kCacheFloats / kLanes / (pixels > 0 ? pixels : 1);
  return vectors > 1 ? vectors * kLanes : kLanes;
}

void rows_f32(const DepthwiseShape& s, const float* x, const float* w, const Epilogue& epilogue, float* y,
              int64_t first_row, int64_t last_row) {
  const RowFunction compute = choose_row(s);
  const int64_t image = s.in[0] * s.in[1] * s.in[2] * s.channels;
  const int64_t block = last_row - first_row > 1 ? channel_block(s) : s.channels;
  for (int64_t channel = 0; channel < s.channels; channel += block) {
    const int64_t channel_end = s.channels - channel < block ? s.channels : channel + block;
    for (int64_t r = first_row; r < last_row; ++r) {
      const int64_t height = r % s.out[1], depth = r / s.out[1] % s.out[0], n = r / s.out[1] / s.out[0];
      const int64_t pixel = r * s.out[2];
      compute({&s, x + n * image, w, &epilogue, y + pixel * s.channels, pixel, window_at(s, 0, depth),
               window_at(s, 1, height), channel, channel_end});
    }
  }
}

}  // namespace

void fill(DepthwiseKernels& kernels);
void fill(DepthwiseKernels& kernels) { kernels.rows_f32 = rows_f32; }

}  // namespace linnet::LINNET_SIMD_NS
