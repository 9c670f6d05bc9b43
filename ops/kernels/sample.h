#pragma once

#include <cstdint>

namespace linnet {

constexpr int64_t kMostGridPoints = 128;
/// The number of channels of a pixel that are sampled together.
constexpr int64_t kPixelChannels = 16;

/// An axis of an image that is sampled at coordinates from -1 to 1.
struct GridAxis {
  int64_t length = 1;
  bool corners_aligned = false;  ///< -1 and 1 are the centres of the first and the last pixel, not their outer edges
  bool border = false;           ///< the pixels at the border are repeated beyond it; else there are zeros
};

struct SampleKernels {
  /// y[i] = the sum over t < taps of weights[t * pitch + i] * x[offsets[t * pitch + i]], in the order of t, for i < n.
  /// Negative offsets add nothing.
  void (*weighted)(const float* x, const int32_t* offsets, const float* weights, int64_t taps, int64_t pitch, int64_t n,
                   float* y);
  /// The same for kPixelChannels contiguous channels: x[offset] and y[i] are so many values each.
  void (*weighted_pixels)(const float* x, const int32_t* offsets, const float* weights, int64_t taps, int64_t pitch,
                          int64_t n, float* y);
  /// Computes the taps of linear samples at n <= kMostGridPoints points. Each point has `axes` coordinates, that of the
  /// last axis first. Tap t < 2^axes of point i has its offset in the image, negative outside it, and its weight at [t
  /// * pitch + i]. An image has fewer than 2^31 pixels. Coordinates that are not finite are outside, before the first
  /// pixel.
  void (*linear_taps)(const float* grid, const GridAxis* image, int axes, int64_t n, int64_t pitch, int32_t* offsets,
                      float* weights);
  /// The same for cubic samples, which have 4^axes taps.
  void (*cubic_taps)(const float* grid, const GridAxis* image, int axes, int64_t n, int64_t pitch, int32_t* offsets,
                     float* weights);
  /// Computes the offsets of the pixels nearest to the same points, negative outside the image. Of two equally near
  /// pixels the one with the even index is chosen.
  void (*nearest_pixels)(const float* grid, const GridAxis* image, int axes, int64_t n, int32_t* offsets);
};

}  // namespace linnet
