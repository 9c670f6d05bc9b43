#include "grid/grid_points.h"

#include <cmath>

#include "elements/axis_index.h"
#include "elements/dispatch.h"

namespace linnet {
namespace {

using Filter = GridSettings::Filter;
using Padding = GridSettings::Padding;

/// Mirrors x at both ends until it is in [low, high].
double reflect(double x, double low, double high) {
  const double extent = high - low;
  if (!(extent > 0)) return low;
  const double distance = std::fmod(std::abs(x - low), 2 * extent);
  return low + (distance <= extent ? distance : 2 * extent - distance);
}

constexpr double kCubic = -0.75;
/// The weight of a tap at a distance in [0, 1], and in [1, 2].
double near_weight(double d) { return ((kCubic + 2) * d - (kCubic + 3)) * d * d + 1; }
double far_weight(double d) { return ((kCubic * d - 5 * kCubic) * d + 8 * kCubic) * d - 4 * kCubic; }

AxisTaps taps_at(const GridSettings& s, double grid, int64_t length) {
  const auto last = double(length - 1);
  const double low = s.align_corners ? 0 : -0.5, high = s.align_corners ? last : last + 0.5;
  double x = s.align_corners ? (grid + 1) / 2 * last : ((grid + 1) * double(length) - 1) / 2;
  if (!std::isfinite(x)) x = -100;  // as PyTorch does
  if (s.filter == Filter::kNearest) x = std::nearbyint(x);
  if (s.filter != Filter::kCubic) {  // cubic moves each tap into the image instead
    if (s.padding == Padding::kBorder) x = std::min(std::max(x, 0.0), last);
    if (s.padding == Padding::kReflection && (x < low || x > high)) x = reflect(x, low, high);
  }
  const double base = std::floor(x);
  const auto add = [&](AxisTaps& taps, double at, double weight) {
    if (s.padding == Padding::kReflection) at = std::trunc(at < low || at > high ? reflect(at, low, high) : at);
    if (s.padding != Padding::kZeros) at = std::min(std::max(at, 0.0), last);
    const auto i = size_t(taps.count++);
    taps.position[i] = at >= 0 && at <= last ? axis_index(at, length) : -1;
    taps.weight[i] = weight;
  };
  AxisTaps taps;
  if (s.filter == Filter::kNearest) add(taps, base, 1);
  if (s.filter == Filter::kLinear) {
    for (const double at : {base, base + 1}) add(taps, at, 1 - std::abs(x - at));
  }
  if (s.filter == Filter::kCubic) {
    const double after = x - base;
    add(taps, base - 1, far_weight(after + 1));
    add(taps, base, near_weight(after));
    add(taps, base + 1, near_weight(1 - after));
    add(taps, base + 2, far_weight(2 - after));
  }
  return taps;
}

}  // namespace

GridPoints::GridPoints(const GridSettings& settings, const Shape& x, DType grid)
    : s_(settings), x_(x), read_(dispatch_float(grid, []<class T>() -> ReadReal {
        return [](const void* data, int64_t i) { return double(static_cast<const T*>(data)[i]); };
      })) {}

PointTaps GridPoints::taps(const void* grid, int64_t item) const {
  PointTaps taps;
  for (AxisTaps& axis : taps) axis = {.count = 1, .position = {0}, .weight = {1}};
  const int64_t axes = x_.rank() - 2;
  const int64_t first = checked_mul(item, axes);
  for (int64_t d = 0; d < axes; ++d) {
    taps[size_t(2 - d)] = taps_at(s_, read_(grid, first + d), x_[x_.rank() - 1 - int(d)]);
  }
  return taps;
}

GridTable::GridTable(const GridSettings& settings, const Shape& x, DType grid, const SampleKernels& kernels)
    : s_(settings), x_(x), points_(settings, x, grid), kernels_(kernels) {
  const int axis_bits = s_.filter == Filter::kCubic ? 2 : s_.filter == Filter::kLinear ? 1 : 0;
  taps_ = int64_t{1} << axis_bits * (x.rank() - 2);
}

void GridTable::find(const Tensor& grid, int64_t first, int64_t count, int32_t* offsets, float* weights) const {
  if (s_.padding == Padding::kReflection || grid.dtype() != DType::kFloat32) {
    for (int64_t i = 0; i < count; ++i) find(points_.taps(grid.raw(), first + i), offsets + i, weights + i);
    return;
  }
  const int axes = x_.rank() - 2;
  GridAxis image[3];
  for (int d = 0; d < axes; ++d) image[d] = {x_[d + 2], s_.align_corners, s_.padding == Padding::kBorder};
  const float* points = grid.data<float>() + first * axes;
  if (s_.filter == Filter::kNearest) return kernels_.nearest_pixels(points, image, axes, count, offsets);
  const auto find_taps = s_.filter == Filter::kCubic ? kernels_.cubic_taps : kernels_.linear_taps;
  find_taps(points, image, axes, count, kMostGridPoints, offsets, weights);
}

void GridTable::find(const PointTaps& taps, int32_t* offsets, float* weights) const {
  const int64_t width = x_[x_.rank() - 1], height = x_[x_.rank() - 2];
  for_taps(taps, [&](int64_t z, int64_t r, int64_t q, double weight) {
    *offsets = z < 0 || r < 0 || q < 0 ? -1 : int32_t((z * height + r) * width + q);
    offsets += kMostGridPoints;
    if (s_.filter == Filter::kNearest) return;
    *weights = float(weight);
    weights += kMostGridPoints;
  });
}

}  // namespace linnet
