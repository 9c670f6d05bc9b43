#include "conv/conv_kernel.h"

namespace linnet {
namespace {

class ConvF64 final : public Kernel {
 public:
  explicit ConvF64(const ConvGeometry& geometry, bool has_bias) : g_(geometry), has_bias_(has_bias) {}

  void run(KernelContext& context) const override {
    const double* x = context.input(0).data<double>();
    const double* w = context.input(1).data<double>();
    const double* bias = has_bias_ ? context.input(2).data<double>() : nullptr;
    double* y = context.output(0).data<double>();
    context.executor().parallel_for(g_.batch * g_.out_channels, [&](int64_t plane, int) {
      const int64_t n = plane / g_.out_channels, o = plane % g_.out_channels;
      const int64_t channel = n * g_.in_channels + o / g_.group_out() * g_.group_in();
      out_plane(x + channel * g_.in_pixels(), w + o * g_.group_in() * g_.taps(), bias ? bias[o] : 0,
                y + plane * g_.out_pixels());
    });
  }

 private:
  void out_plane(const double* x, const double* w, double bias, double* y) const {
    const auto& [depth, height, width] = g_.axes;
    for (int64_t z = 0; z < depth.out; ++z) {
      for (int64_t row = 0; row < height.out; ++row) {
        for (int64_t column = 0; column < width.out; ++column) {
          *y = bias;
          for (int64_t c = 0; c < g_.group_in(); ++c) {
            *y += window(x + c * g_.in_pixels(), w + c * g_.taps(), {z, row, column});
          }
          ++y;
        }
      }
    }
  }

  double window(const double* x, const double* w, const std::array<int64_t, 3>& out) const {
    const auto& [depth, height, width] = g_.axes;
    double sum = 0;
    for (int64_t kz = 0; kz < depth.kernel; ++kz) {
      for (int64_t ky = 0; ky < height.kernel; ++ky) {
        for (int64_t kx = 0; kx < width.kernel; ++kx, ++w) {
          const int64_t z = position(depth, out[0], kz), y = position(height, out[1], ky);
          const int64_t column = position(width, out[2], kx);
          if (z >= 0 && y >= 0 && column >= 0) sum += *w * x[(z * height.in + y) * width.in + column];
        }
      }
    }
    return sum;
  }

  /// The input position under kernel position k; -1 in the padding.
  static int64_t position(const ConvAxis& axis, int64_t out, int64_t k) {
    const int64_t in = out * axis.stride - axis.pad_begin + k * axis.dilation;
    return in < axis.in ? in : -1;
  }

  ConvGeometry g_;
  bool has_bias_;
};

}  // namespace

KernelPtr make_conv_f64(const ConvGeometry& geometry, bool has_bias) {
  return std::make_unique<ConvF64>(geometry, has_bias);
}

}  // namespace linnet
