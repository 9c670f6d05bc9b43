// custom::deform_conv2d: torchvision's deformable convolution on float32 and float64, in plain loops that run in
// parallel. It shows attributes, optional inputs, scratch memory and threads. Linnet's own operator is faster.
#include <algorithm>
#include <array>
#include <cmath>

#include "my_ops.h"

using namespace linnet;
namespace {

struct Settings {
  std::array<int64_t, 2> stride, dilation;
  std::array<int64_t, 4> pad;  // top, left, bottom, right
  int64_t group, offset_group;
};

/// Returns the bilinear interpolation of the plane [height, width] at a point. Pixels outside of the plane are zero.
template <class T>
T sample(const T* plane, int64_t height, int64_t width, T y, T x) {
  if (y <= -1 || y >= T(height) || x <= -1 || x >= T(width)) return 0;
  if (std::isnan(y) || std::isnan(x)) return y + x;
  const T top = std::floor(y), left = std::floor(x);
  T sum = 0;
  for (int64_t r = int64_t(top); r <= int64_t(top) + 1; ++r) {
    for (int64_t c = int64_t(left); c <= int64_t(left) + 1; ++c) {
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      sum += (1 - std::abs(y - T(r))) * (1 - std::abs(x - T(c))) * plane[r * width + c];
    }
  }
  return sum;
}

template <class T>
class DeformKernel final : public Kernel {
 public:
  DeformKernel(const Settings& settings, const Shape& x, const Shape& w, const Shape& y)
      : s_(settings), x_(x), w_(w), y_(y), taps_(w[2] * w[3]), pixels_(y[2] * y[3]) {}

  void run(KernelContext& context) const override {
    context.executor().parallel_for(y_[0] * pixels_, [&](int64_t item, int worker) {
      T* window = reinterpret_cast<T*>(context.scratch(worker));
      for (int64_t group = 0; group < s_.group; ++group) {
        sample_window(context, item / pixels_, item % pixels_, group, window);
        multiply(context, item / pixels_, item % pixels_, group, window);
      }
    });
  }

  size_t scratch_bytes() const override { return size_t(w_[1] * taps_) * sizeof(T); }

 private:
  /// Computes the samples [channels of the group, taps] for one output pixel.
  void sample_window(KernelContext& context, int64_t n, int64_t pixel, int64_t group, T* window) const {
    const T* offset = context.input(2).data<T>() + n * s_.offset_group * taps_ * 2 * pixels_;
    const T* mask = context.input(4) ? context.input(4).data<T>() + n * s_.offset_group * taps_ * pixels_ : nullptr;
    const int64_t row = pixel / y_[3] * s_.stride[0] - s_.pad[0], column = pixel % y_[3] * s_.stride[1] - s_.pad[1];
    for (int64_t c = group * w_[1]; c < (group + 1) * w_[1]; ++c) {
      const T* plane = context.input(0).data<T>() + (n * x_[1] + c) * x_[2] * x_[3];
      for (int64_t t = 0; t < taps_; ++t) {
        const int64_t at = c / (x_[1] / s_.offset_group) * taps_ + t;
        const T y = T(row + t / w_[3] * s_.dilation[0]) + offset[2 * at * pixels_ + pixel];
        const T x = T(column + t % w_[3] * s_.dilation[1]) + offset[(2 * at + 1) * pixels_ + pixel];
        *window++ = sample(plane, x_[2], x_[3], y, x) * (mask ? mask[at * pixels_ + pixel] : T(1));
      }
    }
  }

  void multiply(KernelContext& context, int64_t n, int64_t pixel, int64_t group, const T* window) const {
    const int64_t outputs = w_[0] / s_.group, depth = w_[1] * taps_;
    for (int64_t o = group * outputs; o < (group + 1) * outputs; ++o) {
      const T* w = context.input(1).data<T>() + o * depth;
      T sum = context.input(3) ? context.input(3).data<T>()[o] : T(0);
      for (int64_t k = 0; k < depth; ++k) sum += w[k] * window[k];
      context.output(0).data<T>()[(n * y_[1] + o) * pixels_ + pixel] = sum;
    }
  }

  Settings s_;
  Shape x_, w_, y_;
  int64_t taps_, pixels_;
};

class DeformConv2d final : public Op {
 public:
  explicit DeformConv2d(const NodeSpec& node)
      : s_{ints<2>(node, "strides", 1, 1), ints<2>(node, "dilations", 1, 1), ints<4>(node, "pads", 0, 0),
           node.attr_or("group", 1), node.attr_or("offset_group", 1)} {
    if (s_.group < 1 || s_.offset_group < 1) throw Error(ErrorKind::kModel, "groups must be at least 1");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    if (in.size() < 3 || in.size() > 5) throw Error(ErrorKind::kModel, "needs input, weight, offset, bias?, mask?");
    if (!in[0].concrete() || !in[1].concrete() || !in[2].concrete()) return {Fact(in[0].dtype, Dims(4))};
    const Shape x = in[0].shape(), w = in[1].shape(), offset = in[2].shape();
    check(x.rank() == 4 && w.rank() == 4 && offset.rank() == 4, "input, weight and offset must have rank 4");
    check(x[1] == w[1] * s_.group && w[0] % s_.group == 0 && x[1] % s_.offset_group == 0, "channels do not fit");
    const Shape y{x[0], w[0], extent(x, w, 0), extent(x, w, 1)};
    check(y[2] > 0 && y[3] > 0, "the kernel does not fit into the image");
    const Shape field{x[0], s_.offset_group * w[2] * w[3], y[2], y[3]};
    check(offset == Shape{field[0], 2 * field[1], field[2], field[3]}, "offset has the wrong shape");
    check(!given(in, 3) || in[3].shape() == Shape{w[0]}, "bias has the wrong shape");
    check(!given(in, 4) || in[4].shape() == field, "mask has the wrong shape");
    return {Fact(in[0].dtype, y)};
  }

  // For profiles: each output element is a sum over the weights of one output channel.
  int64_t multiply_adds(const NodeValues& v) const override { return v.out(0).size() * v.in(1).shape().elements(1, 4); }

  KernelPtr compile(const CompileInput& in) const override {
    return make_kernel<DeformKernel, float, double>(in.dtype(0), s_, in.shape(0), in.shape(1), in.output_shape(0));
  }

 private:
  /// Returns an attribute of N integers that are at least `least`.
  template <size_t N>
  static std::array<int64_t, N> ints(const NodeSpec& node, const char* name, int64_t fallback, int64_t least) {
    const auto values = node.attr_or(name, std::vector<int64_t>(N, fallback));
    if (values.size() != N || *std::min_element(values.begin(), values.end()) < least) {
      throw Error(ErrorKind::kModel, str(name, " must be ", N, " integers from ", least, " on"));
    }
    std::array<int64_t, N> result;
    std::copy(values.begin(), values.end(), result.begin());
    return result;
  }
  static void check(bool holds, const char* message) {
    if (!holds) throw Error(ErrorKind::kShape, message);
  }
  static bool given(std::span<const Fact> in, size_t i) { return i < in.size() && in[i].concrete(); }

  int64_t extent(const Shape& x, const Shape& w, int axis) const {
    const auto a = size_t(axis);
    return (x[axis + 2] + s_.pad[a] + s_.pad[a + 2] - s_.dilation[a] * (w[axis + 2] - 1) - 1) / s_.stride[a] + 1;
  }

  Settings s_;
};

}  // namespace

void add_deform_conv2d(Registry& registry) { registry.add<DeformConv2d>("deform_conv2d", {1, "custom"}); }
