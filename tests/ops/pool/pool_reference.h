#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/run_op.h"

// Pools of two axes in double precision.
namespace linnet::testing {

using Ints = std::vector<int64_t>;

/// The attributes of a pool of two axes.
struct PoolSettings {
  Ints kernel{3, 3}, strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1};
  bool ceil_mode = false;

  Attributes attributes() const {
    return {{"kernel_shape", kernel},
            {"strides", strides},
            {"pads", pads},
            {"dilations", dilations},
            {"ceil_mode", int64_t(ceil_mode)}};
  }
};

/// Returns the number of windows along an axis.
inline int64_t windows(const PoolSettings& s, size_t axis, int64_t in) {
  int64_t count = 0;
  for (int64_t first = -s.pads[axis];; first += s.strides[axis], ++count) {
    const int64_t last = first + (s.kernel[axis] - 1) * s.dilations[axis], end = in + s.pads[axis + 2];
    if (last >= end && !(s.ceil_mode && count > 0 && last - s.strides[axis] < end - 1 && first < in)) return count;
  }
}

/// Reduces each window: reduce(the values inside the image, the number of cells inside it and its padding).
template <class F>
Tensor pool_reference(const Tensor& x, const PoolSettings& s, F reduce) {
  const int64_t height = x.dim(2), width = x.dim(3), oh = windows(s, 0, height), ow = windows(s, 1, width);
  Tensor y(DType::kFloat32, Shape{x.dim(0), x.dim(1), oh, ow});
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t plane = i / ow / oh, top = i / ow % oh * s.strides[0] - s.pads[0],
                  left = i % ow * s.strides[1] - s.pads[1];
    std::vector<double> values;
    int64_t padded = 0;
    for (int64_t kx = 0; kx < s.kernel[1]; ++kx) {
      for (int64_t ky = 0; ky < s.kernel[0]; ++ky) {
        const int64_t r = top + ky * s.dilations[0], c = left + kx * s.dilations[1];
        padded += r < height + s.pads[2] && c < width + s.pads[3];
        if (r < 0 || r >= height || c < 0 || c >= width) continue;
        values.push_back(double(x.data<float>()[(plane * height + r) * width + c]));
      }
    }
    y.data<float>()[i] = float(reduce(values, padded));
  }
  return y;
}

inline double largest(const std::vector<double>& values, int64_t) {
  double best = -std::numeric_limits<double>::infinity();
  for (const double value : values) best = std::max(best, value);
  return best;
}
inline double mean(const std::vector<double>& values, int64_t) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(values.size());
}
inline double padded_mean(const std::vector<double>& values, int64_t padded) {
  return mean(values, 0) * double(values.size()) / double(padded);
}
inline double norm(const std::vector<double>& values, int64_t) {
  double sum = 0;
  for (const double value : values) sum += std::pow(std::abs(value), 3);
  return std::cbrt(sum);
}

inline const PoolSettings kPoolSettings[] = {
    {},
    {.strides = {2, 2}, .pads = {1, 1, 1, 1}},
    {.kernel = {2, 5}, .strides = {3, 2}, .pads = {0, 2, 1, 1}, .ceil_mode = true},
    {.kernel = {3, 2}, .strides = {2, 1}, .pads = {1, 0, 0, 1}, .dilations = {2, 3}},
    {.kernel = {1, 1}, .strides = {2, 2}},
    {.kernel = {7, 6}, .strides = {1, 1}, .pads = {3, 3, 3, 3}, .ceil_mode = true},
};

}  // namespace linnet::testing
