#include "kernels/sample.h"

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// The following functions have no branches, so that compilers vectorise the loops.
void weighted(const float* __restrict x, const int32_t* offsets, const float* weights, int64_t taps, int64_t pitch,
              int64_t n, float* __restrict y) {
  for (int64_t i = 0; i < n; ++i) y[i] = 0;
  for (int64_t t = 0; t < taps; ++t) {
    const int32_t* __restrict at = offsets + t * pitch;
    const float* __restrict weight = weights + t * pitch;
    for (int64_t i = 0; i < n; ++i) {
      const int32_t outside = at[i] >> 31;
      const float product = weight[i] * x[at[i] & ~outside];
      y[i] += __builtin_bit_cast(float, __builtin_bit_cast(int32_t, product) & ~outside);
    }
  }
}

void weighted_pixels(const float* x, const int32_t* offsets, const float* weights, int64_t taps, int64_t pitch,
                     int64_t n, float* y) {
  constexpr int kVectors = int(kPixelChannels) / kLanes;
  alignas(64) static const float outside[kPixelChannels] = {};
  for (int64_t i = 0; i < n; ++i, y += kPixelChannels) {
    F32 sum[kVectors];
    LINNET_UNROLL for (int v = 0; v < kVectors; ++v) sum[v] = F32(0.f);
    for (int64_t t = 0; t < taps; ++t) {
      const int64_t at = offsets[t * pitch + i];
      const float* pixel = at < 0 ? outside : x + at * kPixelChannels;
      const F32 weight(weights[t * pitch + i]);
      LINNET_UNROLL for (int v = 0; v < kVectors; ++v) {
        sum[v] = sum[v] + weight * F32::load_unaligned(pixel + v * kLanes);
      }
    }
    LINNET_UNROLL for (int v = 0; v < kVectors; ++v) sum[v].store_unaligned(y + v * kLanes);
  }
}

/// Returns the position in pixels of coordinate g of a grid on an axis.
template <bool kCornersAligned>
[[gnu::always_inline]] inline double pixel_at(float g, double last, double extent) {
  const double from_edge = double(g) + 1;
  const double x = kCornersAligned ? from_edge / 2 * last : (from_edge * extent - 1) / 2;
  return __builtin_fabs(x) <= __DBL_MAX__ ? x : -100;
}

/// Computes the two taps of n points on an axis: positions [2, kMostGridPoints], -1 outside the axis, and weights. The
/// points' coordinates are `pitch` floats apart.
template <bool kCornersAligned, bool kBorder>
void axis_taps(const float* grid, int64_t pitch, int64_t n, int64_t length, double* positions, double* weights) {
  const double last = double(length - 1), extent = double(length);
  for (int64_t i = 0; i < n; ++i) {
    double x = pixel_at<kCornersAligned>(grid[i * pitch], last, extent);
    if constexpr (kBorder) {
      x = x < 0 ? 0 : x;
      x = last < x ? last : x;
    }
    double at = __builtin_floor(x);
    for (int64_t k = 0; k < 2; ++k, at += 1) {
      weights[k * kMostGridPoints + i] = 1 - __builtin_fabs(x - at);
      const double inside = at >= 0 && at <= last ? at : -1;
      positions[k * kMostGridPoints + i] = kBorder && at > last ? last : inside;
    }
  }
}

void linear_taps(const float* grid, const GridAxis* image, int axes, int64_t n, int64_t pitch, int32_t* offsets,
                 float* weights) {
  double tap_weights[8 * kMostGridPoints], axis_weights[2 * kMostGridPoints], positions[2 * kMostGridPoints];
  for (int64_t i = 0; i < n; ++i) {
    offsets[i] = 0;
    tap_weights[i] = 1;
  }
  for (int axis = 0, taps = 1; axis < axes; ++axis, taps *= 2) {
    const GridAxis& a = image[axis];
    const auto find = a.corners_aligned ? (a.border ? axis_taps<true, true> : axis_taps<true, false>)
                                        : (a.border ? axis_taps<false, true> : axis_taps<false, false>);
    find(grid + axes - 1 - axis, axes, n, a.length, positions, axis_weights);
    for (int t = 2 * taps - 1; t >= 0; --t) {  // backwards, as each tap is replaced by two
      const int32_t* outer = offsets + t / 2 * pitch;
      const double *outer_weights = tap_weights + t / 2 * kMostGridPoints,
                   *weight = axis_weights + t % 2 * kMostGridPoints;
      const double* position = positions + t % 2 * kMostGridPoints;
      for (int64_t i = 0; i < n; ++i) {
        const int32_t at = int32_t(position[i]), outside = (at | outer[i]) >> 31;
        offsets[t * pitch + i] = (outer[i] * int32_t(a.length) + at) | outside;
        tap_weights[t * kMostGridPoints + i] = outer_weights[i] * weight[i];
      }
    }
  }
  for (int64_t t = 0; t < int64_t{1} << axes; ++t) {
    for (int64_t i = 0; i < n; ++i) weights[t * pitch + i] = float(tap_weights[t * kMostGridPoints + i]);
  }
}

/// Combines the nearest positions on an axis with the offsets on the axes outside of it. The points' coordinates are
/// `pitch` floats apart.
template <bool kCornersAligned, bool kBorder>
void nearest_on_axis(const float* grid, int64_t pitch, int64_t n, int64_t length, int32_t* offsets) {
  const double last = double(length - 1), extent = double(length);
  for (int64_t i = 0; i < n; ++i) {
    double x = __builtin_rint(pixel_at<kCornersAligned>(grid[i * pitch], last, extent));
    if constexpr (kBorder) {
      x = x < 0 ? 0 : x;
      x = last < x ? last : x;
    }
    const int32_t at = int32_t(x >= 0 && x <= last ? x : -1), outside = (at | offsets[i]) >> 31;
    offsets[i] = (offsets[i] * int32_t(length) + at) | outside;
  }
}

void nearest_pixels(const float* grid, const GridAxis* image, int axes, int64_t n, int32_t* offsets) {
  for (int64_t i = 0; i < n; ++i) offsets[i] = 0;
  for (int axis = 0; axis < axes; ++axis) {
    const GridAxis& a = image[axis];
    const auto find = a.corners_aligned ? (a.border ? nearest_on_axis<true, true> : nearest_on_axis<true, false>)
                                        : (a.border ? nearest_on_axis<false, true> : nearest_on_axis<false, false>);
    find(grid + axes - 1 - axis, axes, n, a.length, offsets);
  }
}

}  // namespace

void fill(SampleKernels& k);

void fill(SampleKernels& k) {
  k = {.weighted = weighted,
       .weighted_pixels = weighted_pixels,
       .linear_taps = linear_taps,
       .nearest_pixels = nearest_pixels};
}

}  // namespace linnet::LINNET_SIMD_NS
