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

constexpr double kCubic = -0.75;
/// The cubic weight of a tap at a distance in [0, 1], and in [1, 2].
[[gnu::always_inline]] inline double near_weight(double d) { return ((kCubic + 2) * d - (kCubic + 3)) * d * d + 1; }
[[gnu::always_inline]] inline double far_weight(double d) {
  return ((kCubic * d - 5 * kCubic) * d + 8 * kCubic) * d - 4 * kCubic;
}

/// Returns the weight of tap k at a distance. 2 taps are linear, 4 cubic.
template <int kTaps>
[[gnu::always_inline]] inline double weight_at(int k, double distance) {
  if constexpr (kTaps == 2) return 1 - distance;
  return k == 0 || k == 3 ? far_weight(distance) : near_weight(distance);
}

/// Computes the taps of n points on an axis: positions [kTaps, kMostGridPoints], -1 outside the axis, and weights. The
/// points' coordinates are `pitch` floats apart.
template <int kTaps, bool kCornersAligned, bool kBorder>
void axis_taps(const float* grid, int64_t pitch, int64_t n, int64_t length, double* positions, double* weights) {
  const double last = double(length - 1), extent = double(length);
  for (int64_t i = 0; i < n; ++i) {
    double x = pixel_at<kCornersAligned>(grid[i * pitch], last, extent);
    if constexpr (kBorder && kTaps == 2) {  // Taps of cubic samples are moved into the image one by one.
      x = x < 0 ? 0 : x;
      x = last < x ? last : x;
    }
    const double base = __builtin_floor(x), after = x - base;
    LINNET_UNROLL for (int k = 0; k < kTaps; ++k) {
      const int step = k + 1 - kTaps / 2;
      const double at = base + step;
      weights[k * kMostGridPoints + i] = weight_at<kTaps>(k, __builtin_fabs(after - step));
      const double from_first = at < 0 ? 0 : at, moved = last < from_first ? last : from_first;
      positions[k * kMostGridPoints + i] = kBorder || (at >= 0 && at <= last) ? moved : -1;
    }
  }
}

/// The points whose taps are found together: so many that their weights take little of the stack.
template <int kTaps>
constexpr int64_t kPart = kTaps == 2 ? kMostGridPoints : kMostGridPoints / 4;

template <int kTaps>
void find_part(const float* grid, const GridAxis* image, int axes, int64_t n, int64_t pitch, int32_t* offsets,
               float* weights) {
  double tap_weights[kTaps * kTaps * kTaps * kPart<kTaps>];
  double axis_weights[kTaps * kMostGridPoints], positions[kTaps * kMostGridPoints];
  for (int64_t i = 0; i < n; ++i) {
    offsets[i] = 0;
    tap_weights[i] = 1;
  }
  int taps = 1;
  for (int axis = 0; axis < axes; ++axis) {
    const GridAxis& a = image[axis];
    const auto find = a.corners_aligned ? (a.border ? axis_taps<kTaps, true, true> : axis_taps<kTaps, true, false>)
                                        : (a.border ? axis_taps<kTaps, false, true> : axis_taps<kTaps, false, false>);
    find(grid + axes - 1 - axis, axes, n, a.length, positions, axis_weights);
    taps *= kTaps;
    for (int t = taps - 1; t >= 0; --t) {  // backwards, as each tap is replaced by kTaps
      const int32_t* outer = offsets + t / kTaps * pitch;
      const double *outer_weights = tap_weights + t / kTaps * kPart<kTaps>,
                   *weight = axis_weights + t % kTaps * kMostGridPoints;
      const double* position = positions + t % kTaps * kMostGridPoints;
      for (int64_t i = 0; i < n; ++i) {
        const int32_t at = int32_t(position[i]), outside = (at | outer[i]) >> 31;
        offsets[t * pitch + i] = (outer[i] * int32_t(a.length) + at) | outside;
        tap_weights[t * kPart<kTaps> + i] = outer_weights[i] * weight[i];
      }
    }
  }
  for (int t = 0; t < taps; ++t) {
    for (int64_t i = 0; i < n; ++i) weights[t * pitch + i] = float(tap_weights[t * kPart<kTaps> + i]);
  }
}

template <int kTaps>
void find_taps(const float* grid, const GridAxis* image, int axes, int64_t n, int64_t pitch, int32_t* offsets,
               float* weights) {
  for (int64_t i = 0; i < n; i += kPart<kTaps>) {
    const int64_t count = n - i < kPart<kTaps> ? n - i : kPart<kTaps>;
    find_part<kTaps>(grid + i * axes, image, axes, count, pitch, offsets + i, weights + i);
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
       .linear_taps = find_taps<2>,
       .cubic_taps = find_taps<4>,
       .nearest_pixels = nearest_pixels};
}

}  // namespace linnet::LINNET_SIMD_NS
