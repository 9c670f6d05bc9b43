#pragma once

#include <cstdint>

namespace linnet {

constexpr int64_t kMostGridPoints = 128;
/// Channels of a pixel that are sampled together.
constexpr int64_t kPixelChannels = 16;

/// An axis of an image that is sampled at coordinates from -1 to 1.
struct GridAxis {
  int64_t length = 1;
  bool corners_aligned = false;  ///< -1 and 1 are the centers of the first and the last pixel, not their outer edges
  bool border = false;           ///< the pixels at the border go on beyond it, else there are zeros
};

struct SampleKernels {
  /// y[i] = the sum over t < taps of weights[t * pitch + i] * x[offsets[t * pitch + i]], in the order of t, for i < n;
  /// where an offset is negative nothing is added.
  void (*weighted)(const float* x, const int32_t* offsets, const float* weights, int64_t taps, int64_t pitch, int64_t n,
                   float* y);
  /// The same of kPixelChannels channels that lie together: x[offset] and y[i] are so many values each.
  void (*weighted_pixels)(const float* x, const int32_t* offsets, const float* weights, int64_t taps, int64_t pitch,
                          int64_t n, float* y);
  /// The taps of linear samples at n <= kMostGridPoints points, of `axes` coordinates each, that of the last axis
  /// first: the offset in the image, negative beyond it, and the weight of tap t < 2^axes of point i at [t * pitch +
  /// i]. An image has fewer than 2^31 pixels. Coordinates that are not finite lie beyond the first pixel.
  void (*linear_taps)(const float* grid, const GridAxis* image, int axes, int64_t n, int64_t pitch, int32_t* offsets,
                      float* weights);
  /// The offsets of the pixels that are nearest to the same points, negative beyond the image; of two equally near ones
  /// those with even indices.
  void (*nearest_pixels)(const float* grid, const GridAxis* image, int axes, int64_t n, int32_t* offsets);
};

}  // namespace linnet
