#include <algorithm>

#include "conv/conv_kernel.h"

namespace linnet {
namespace {

class ConvTransposeF64 final : public Kernel {
 public:
  ConvTransposeF64(const ConvGeometry& geometry, bool has_bias) : g_(geometry), has_bias_(has_bias) {}

  void run(KernelContext& context) const override {
    const double* x = context.input(0).data<double>();
    const double* w = context.input(1).data<double>();
    const double* bias = has_bias_ ? context.input(2).data<double>() : nullptr;
    double* y = context.output(0).data<double>();
    context.executor().parallel_for(g_.batch * g_.out_channels, [&](int64_t plane, int) {
      const int64_t n = plane / g_.out_channels, o = plane % g_.out_channels;
      double* to = y + plane * g_.out_pixels();
      std::fill_n(to, g_.out_pixels(), bias ? bias[o] : 0);
      for (int64_t i = 0; i < g_.group_in(); ++i) {
        const int64_t c = o / g_.group_out() * g_.group_in() + i;
        scatter(x + (n * g_.in_channels + c) * g_.in_pixels(),
                w + (c * g_.group_out() + o % g_.group_out()) * g_.taps(), to);
      }
    });
  }

 private:
  /// Adds one input plane, times its kernel, to an output plane.
  void scatter(const double* x, const double* w, double* y) const {
    const auto& [zs, ys, xs] = g_.axes;
    for (int64_t i = 0; i < g_.in_pixels(); ++i) {
      const int64_t column = i % xs.in, row = i / xs.in % ys.in, slice = i / (xs.in * ys.in);
      for (int64_t k = 0; k < g_.taps(); ++k) {
        const int64_t oz = reached(zs, slice, k / (xs.kernel * ys.kernel));
        const int64_t oy = reached(ys, row, k / xs.kernel % ys.kernel), ox = reached(xs, column, k % xs.kernel);
        if (oz >= 0 && oy >= 0 && ox >= 0) y[(oz * ys.out + oy) * xs.out + ox] += x[i] * w[k];
      }
    }
  }

  /// The output position that input position i reaches through kernel position k; negative: none.
  static int64_t reached(const ConvAxis& axis, int64_t i, int64_t k) {
    const int64_t out = i * axis.stride + k * axis.dilation - axis.pad_begin;
    return out < axis.out ? out : -1;
  }

  ConvGeometry g_;
  bool has_bias_;
};

}  // namespace

KernelPtr make_conv_transpose_f64(const ConvGeometry& geometry, bool has_bias) {
  return std::make_unique<ConvTransposeF64>(geometry, has_bias);
}

}  // namespace linnet
