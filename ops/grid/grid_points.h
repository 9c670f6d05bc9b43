#pragma once

#include <array>

#include "kernels/sample.h"
#include "linnet/op.h"

namespace linnet {

struct GridSettings {
  enum class Filter { kNearest, kLinear, kCubic };
  enum class Padding { kZeros, kBorder, kReflection };

  Filter filter;
  Padding padding;
  bool align_corners;
};

/// The input positions, with weights, that contribute to a coordinate on one axis; a position of -1 is zero.
struct AxisTaps {
  int count = 0;
  std::array<int64_t, 4> position{};
  std::array<double, 4> weight{};
};

/// The taps of three axes for a point of a grid, which counts axes from the innermost. Missing outer axes have extent
/// 1.
using PointTaps = std::array<AxisTaps, 3>;

/// Calls f(position of each axis, weight) for all taps of a point.
template <class F>
void for_taps(const PointTaps& taps, const F& f) {
  for (size_t i = 0; i < size_t(taps[0].count); ++i) {
    for (size_t j = 0; j < size_t(taps[1].count); ++j) {
      for (size_t k = 0; k < size_t(taps[2].count); ++k) {
        f(taps[0].position[i], taps[1].position[j], taps[2].position[k],
          taps[0].weight[i] * taps[1].weight[j] * taps[2].weight[k]);
      }
    }
  }
}

/// Reads the points of grids that sample images [N, C, spatial...].
class GridPoints {
 public:
  GridPoints(const GridSettings& settings, const Shape& x, DType grid);

  /// The taps of point `item` of all points.
  PointTaps taps(const void* grid, int64_t item) const;

 private:
  using ReadReal = double (*)(const void* data, int64_t i);

  GridSettings s_;
  Shape x_;
  ReadReal read_;
};

/// Finds the taps of blocks of points in images of fewer than 2^31 pixels, in the form that SampleKernels read.
class GridTable {
 public:
  GridTable(const GridSettings& settings, const Shape& x, DType grid, const SampleKernels& kernels);

  /// Whether offsets in an image fit in 32 bits.
  static bool takes(const Shape& x) { return x.elements(2, x.rank()) < (int64_t{1} << 31); }

  /// The number of taps of a point.
  int64_t taps() const { return taps_; }
  size_t bytes() const { return dtype_bytes(DType::kFloat32, checked_mul(checked_mul(2, kMostGridPoints), taps_)); }
  /// Writes the taps of points [first, first + count) of all points, count <= kMostGridPoints. Tap t of point i is at
  /// [t * kMostGridPoints + i]. The weights of nearest pixels, which are 1, are not written.
  void find(const Tensor& grid, int64_t first, int64_t count, int32_t* offsets, float* weights) const;

 private:
  void find(const PointTaps& taps, int32_t* offsets, float* weights) const;

  GridSettings s_;
  Shape x_;
  GridPoints points_;
  SampleKernels kernels_;
  int64_t taps_;
};

}  // namespace linnet
