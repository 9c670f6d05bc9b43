#include "deform_conv2d.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>

namespace linnet::torch_ops {
namespace {

struct Geometry {
  int64_t channels, height, width, kernel_h, kernel_w, out_h, out_w;
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, offset_groups;

  int64_t kernel_area() const { return kernel_h * kernel_w; }
  int64_t out_area() const { return out_h * out_w; }
};

template <class T>
T sample(const T* plane, int64_t height, int64_t width, T y, T x) {
  const auto h = static_cast<T>(height), w = static_cast<T>(width);
  if (y <= -1 || y >= h || x <= -1 || x >= w) return 0;
  if (std::isnan(y + x)) return y + x;
  const T top = std::floor(y), left = std::floor(x);
  const T dy = y - top, dx = x - left;
  const auto row = static_cast<int64_t>(top), column = static_cast<int64_t>(left);
  const auto at = [&](int64_t r, int64_t c) {
    return r >= 0 && r < height && c >= 0 && c < width ? plane[r * width + c] : T(0);
  };
  return (1 - dy) * ((1 - dx) * at(row, column) + dx * at(row, column + 1)) +
         dy * ((1 - dx) * at(row + 1, column) + dx * at(row + 1, column + 1));
}

/// One row of the column matrix: what kernel point `point` of channel `channel` sees at each output position.
template <class T>
void sample_row(const Geometry& g, const T* image, const T* offset, const T* mask, int64_t channel, int64_t point,
                T* row) {
  const int64_t group_point = channel / (g.channels / g.offset_groups) * g.kernel_area() + point;
  const T* plane = image + channel * g.height * g.width;
  const T* offset_y = offset + 2 * group_point * g.out_area();
  const T* offset_x = offset_y + g.out_area();
  const T* scale = mask == nullptr ? nullptr : mask + group_point * g.out_area();
  const int64_t base_y = point / g.kernel_w * g.dilation_h - g.pad_h;
  const int64_t base_x = point % g.kernel_w * g.dilation_w - g.pad_w;
  for (int64_t i = 0; i < g.out_area(); ++i) {
    const T y = static_cast<T>(base_y + i / g.out_w * g.stride_h) + offset_y[i];
    const T x = static_cast<T>(base_x + i % g.out_w * g.stride_w) + offset_x[i];
    const T value = sample(plane, g.height, g.width, y, x);
    row[i] = scale == nullptr ? value : scale[i] * value;
  }
}

template <class T>
void sample_columns(const Geometry& g, const T* image, const T* offset, const T* mask, T* columns) {
  at::parallel_for(0, g.channels * g.kernel_area(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      sample_row(g, image, offset, mask, r / g.kernel_area(), r % g.kernel_area(), columns + r * g.out_area());
  });
}

int64_t output_size(int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
  const int64_t room = in + 2 * pad - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

void check_groups(const at::Tensor& input, const at::Tensor& weight, int64_t groups, int64_t offset_groups) {
  TORCH_CHECK(input.dim() == 4 && weight.dim() == 4, "deform_conv2d: input and weight must have 4 dims, got ",
              input.sizes(), " and ", weight.sizes());
  TORCH_CHECK(groups > 0 && weight.size(1) * groups == input.size(1) && weight.size(0) % groups == 0,
              "deform_conv2d: weight ", weight.sizes(), " does not fit input ", input.sizes(), " in ", groups,
              " groups");
  TORCH_CHECK(offset_groups > 0 && input.size(1) % offset_groups == 0, "deform_conv2d: ", input.size(1),
              " channels do not divide into ", offset_groups, " offset groups");
}

void check_geometry(const Geometry& g) {
  TORCH_CHECK(g.stride_h > 0 && g.stride_w > 0, "deform_conv2d: strides must be positive");
  TORCH_CHECK(g.dilation_h > 0 && g.dilation_w > 0, "deform_conv2d: dilations must be positive");
  TORCH_CHECK(g.pad_h >= 0 && g.pad_w >= 0, "deform_conv2d: pads must not be negative");
  TORCH_CHECK(g.kernel_area() > 0 && output_size(g.height, g.kernel_h, g.stride_h, g.pad_h, g.dilation_h) > 0 &&
                  output_size(g.width, g.kernel_w, g.stride_w, g.pad_w, g.dilation_w) > 0,
              "deform_conv2d: a kernel of ", g.kernel_h, "x", g.kernel_w, " on an image of ", g.height, "x", g.width,
              " gives an empty output");
}

void check_operand(const char* name, const at::Tensor& tensor, const at::Tensor& input, at::IntArrayRef shape) {
  TORCH_CHECK(tensor.sizes() == shape, "deform_conv2d: ", name, " must be ", shape, ", got ", tensor.sizes());
  TORCH_CHECK(tensor.scalar_type() == input.scalar_type(), "deform_conv2d: ", name, " must be ", input.scalar_type(),
              " as the input is, got ", tensor.scalar_type());
}

/// One matrix product per image and group; the column matrix of one image is the only large scratch.
template <class T>
void convolve(const Geometry& g, const at::Tensor& x, const at::Tensor& w, const at::Tensor& offset,
              const at::Tensor* mask, const at::Tensor& result) {
  const at::Tensor columns = at::empty({w.size(0), w.size(2), g.out_area()}, x.options());
  for (int64_t n = 0; n < x.size(0); ++n) {
    const T* scale = mask == nullptr ? nullptr : (*mask)[n].data_ptr<T>();
    sample_columns(g, x[n].data_ptr<T>(), offset[n].data_ptr<T>(), scale, columns.data_ptr<T>());
    result[n].copy_(at::bmm(w, columns).view(result.sizes().slice(1)));
  }
}

}  // namespace

at::Tensor deform_conv2d(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset,
                         const at::Tensor& mask, const at::Tensor& bias, int64_t stride_h, int64_t stride_w,
                         int64_t pad_h, int64_t pad_w, int64_t dilation_h, int64_t dilation_w, int64_t groups,
                         int64_t offset_groups, bool use_mask) {
  check_groups(input, weight, groups, offset_groups);
  Geometry g{.channels = input.size(1),
             .height = input.size(2),
             .width = input.size(3),
             .kernel_h = weight.size(2),
             .kernel_w = weight.size(3),
             .out_h = 0,
             .out_w = 0,
             .stride_h = stride_h,
             .stride_w = stride_w,
             .pad_h = pad_h,
             .pad_w = pad_w,
             .dilation_h = dilation_h,
             .dilation_w = dilation_w,
             .offset_groups = offset_groups};
  check_geometry(g);
  g.out_h = output_size(g.height, g.kernel_h, stride_h, pad_h, dilation_h);
  g.out_w = output_size(g.width, g.kernel_w, stride_w, pad_w, dilation_w);
  const int64_t batch = input.size(0), out_channels = weight.size(0), points = offset_groups * g.kernel_area();
  check_operand("weight", weight, input, weight.sizes());
  check_operand("offset", offset, input, {batch, 2 * points, g.out_h, g.out_w});
  check_operand("bias", bias, input, {out_channels});
  if (use_mask) check_operand("mask", mask, input, {batch, points, g.out_h, g.out_w});

  const at::Tensor x = input.contiguous(), o = offset.contiguous(), m = mask.contiguous();
  const at::Tensor w = weight.reshape({groups, out_channels / groups, weight.size(1) * g.kernel_area()});
  const at::Tensor result = at::empty({batch, out_channels, g.out_h, g.out_w}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "deform_conv2d",
                             [&] { convolve<scalar_t>(g, x, w, o, use_mask ? &m : nullptr, result); });
  return result.add_(bias.view({1, out_channels, 1, 1}));
}

}  // namespace linnet::torch_ops
