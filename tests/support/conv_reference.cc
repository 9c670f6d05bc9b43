#include "support/conv_reference.h"

#include <utility>

namespace linnet::testing {
namespace {

/// Returns the output position that input position `in` reaches through kernel position k, or -1.
int64_t reached(int64_t in, int64_t k, int64_t stride, int64_t pad, int64_t dilation, int64_t out) {
  const int64_t at = in + pad - k * dilation;
  return at >= 0 && at % stride == 0 && at / stride < out ? at / stride : -1;
}

/// One spatial axis, counted from the last. A missing axis has an extent of one.
struct Axis {
  int64_t in = 1, kernel = 1, stride = 1, pad = 0, dilation = 1, out = 1;

  Axis(const Tensor& x, const Tensor& w, const ConvSettings& s, int from_last) {
    const int axis = x.rank() - 1 - from_last;
    if (axis < 2) return;
    const size_t i = size_t(axis - 2), axes = s.strides.size();
    in = x.dim(axis), kernel = w.dim(axis), stride = s.strides[i], pad = s.pads[i], dilation = s.dilations[i];
    out = (in + pad + s.pads[i + axes] - dilation * (kernel - 1) - 1) / stride + 1;
  }
  int64_t reached(int64_t at, int64_t k) const { return testing::reached(at, k, stride, pad, dilation, out); }
};

}  // namespace

Tensor conv_reference(const Tensor& x, const Tensor& w, const Tensor& bias, const ConvSettings& s) {
  const Axis depth(x, w, s, 2), height(x, w, s, 1), width(x, w, s, 0);
  const int64_t channels = x.dim(1), out_channels = w.dim(0), pixels = depth.out * height.out * width.out;
  const int64_t group_in = channels / s.group, group_out = out_channels / s.group;
  const int64_t taps = depth.kernel * height.kernel * width.kernel;
  std::vector<double> y(size_t(x.dim(0) * out_channels * pixels));
  for (size_t i = 0; bias && i < y.size(); ++i) y[i] = double(bias.data<float>()[int64_t(i) / pixels % out_channels]);
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t column = i % width.in, row = i / width.in % height.in, slice = i / (width.in * height.in) % depth.in;
    const int64_t c = i / (width.in * height.in * depth.in) % channels, n = i / (x.size() / x.dim(0));
    for (int64_t j = 0; j < group_out * taps; ++j) {
      const int64_t o = c / group_in * group_out + j / taps, k = j % taps;
      const int64_t oz = depth.reached(slice, k / (height.kernel * width.kernel));
      const int64_t oy = height.reached(row, k / width.kernel % height.kernel),
                    ox = width.reached(column, k % width.kernel);
      if (oz < 0 || oy < 0 || ox < 0) continue;
      y[size_t((n * out_channels + o) * pixels + (oz * height.out + oy) * width.out + ox)] +=
          double(x.data<float>()[i]) * double(w.data<float>()[(o * group_in + c % group_in) * taps + k]);
    }
  }
  Shape shape{x.dim(0), out_channels, height.out, width.out};
  if (x.rank() == 5) shape = {x.dim(0), out_channels, depth.out, height.out, width.out};
  return Tensor::of(shape, std::vector<float>(y.begin(), y.end()));
}

namespace {

/// Swaps the two inner axes of [batch, rows, columns].
void swap_axes(const Tensor& x, int64_t rows, int64_t columns, Tensor& y) {
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t image = i / (rows * columns), row = i / columns % rows, column = i % columns;
    y.data<float>()[(image * columns + column) * rows + row] = x.data<float>()[i];
  }
}

}  // namespace

Tensor to_channels_last(const Tensor& x) {
  Shape shape{x.dim(0)};
  for (int i = 2; i < x.rank(); ++i) shape.push_back(x.dim(i));
  shape.push_back(x.dim(1));
  Tensor y(DType::kFloat32, shape);
  swap_axes(x, x.dim(1), x.shape().elements(2, x.rank()), y);
  return y;
}

Tensor to_channels_first(const Tensor& x) {
  Shape shape{x.dim(0), x.dim(x.rank() - 1)};
  for (int i = 1; i + 1 < x.rank(); ++i) shape.push_back(x.dim(i));
  Tensor y(DType::kFloat32, shape);
  swap_axes(x, x.shape().elements(1, x.rank() - 1), shape[1], y);
  return y;
}

}  // namespace linnet::testing
