#include "support/conv_reference.h"

#include <utility>

namespace linnet::testing {
namespace {

/// The output position that input position `in` reaches through kernel position k; -1: none.
int64_t reached(int64_t in, int64_t k, int64_t stride, int64_t pad, int64_t dilation, int64_t out) {
  const int64_t at = in + pad - k * dilation;
  return at >= 0 && at % stride == 0 && at / stride < out ? at / stride : -1;
}

}  // namespace

Tensor conv_reference(const Tensor& x, const Tensor& w, const Tensor& bias, const ConvSettings& s) {
  const int64_t batch = x.dim(0), channels = x.dim(1), height = x.dim(2), width = x.dim(3);
  const int64_t out_channels = w.dim(0), kh = w.dim(2), kw = w.dim(3);
  const int64_t oh = (height + s.pads[0] + s.pads[2] - s.dilations[0] * (kh - 1) - 1) / s.strides[0] + 1;
  const int64_t ow = (width + s.pads[1] + s.pads[3] - s.dilations[1] * (kw - 1) - 1) / s.strides[1] + 1;
  std::vector<double> y(size_t(batch * out_channels * oh * ow));
  for (size_t i = 0; bias && i < y.size(); ++i) {
    y[i] = double(bias.data<float>()[int64_t(i) / (oh * ow) % out_channels]);
  }
  const int64_t group_in = channels / s.group, group_out = out_channels / s.group;
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t column = i % width, row = i / width % height, c = i / (width * height) % channels;
    const int64_t n = i / (width * height * channels);
    for (int64_t j = 0; j < group_out * kh * kw; ++j) {
      const int64_t o = c / group_in * group_out + j / (kh * kw), ky = j / kw % kh, kx = j % kw;
      const int64_t oy = reached(row, ky, s.strides[0], s.pads[0], s.dilations[0], oh);
      const int64_t ox = reached(column, kx, s.strides[1], s.pads[1], s.dilations[1], ow);
      if (oy < 0 || ox < 0) continue;
      y[size_t(((n * out_channels + o) * oh + oy) * ow + ox)] +=
          double(x.data<float>()[i]) * double(w.data<float>()[((o * group_in + c % group_in) * kh + ky) * kw + kx]);
    }
  }
  return Tensor::of(Shape{batch, out_channels, oh, ow}, std::vector<float>(y.begin(), y.end()));
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
