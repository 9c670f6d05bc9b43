#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/kernel_table.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct Case {
  int64_t channels, width, kernel, stride, dilation, pad_begin, pad_end, depth = 1, kernel_height = 3;
};

DepthwiseShape shape_of(const Case& c) {
  DepthwiseShape s{.batch = 2, .channels = c.channels};
  const int64_t in[3] = {c.depth, 5, c.width}, kernel[3] = {c.depth > 1 ? 2 : 1, c.kernel_height, c.kernel};
  for (int i = 0; i < 3; ++i) {
    s.in[i] = in[i];
    s.kernel[i] = kernel[i];
    s.stride[i] = i == 2 ? c.stride : 1;
    s.dilation[i] = i == 0 ? 1 : c.dilation;
    s.pad_begin[i] = i == 2 ? c.pad_begin : i * (s.kernel[i] / 2);
    const int64_t pad_end = i == 2 ? c.pad_end : s.pad_begin[i];
    s.out[i] = (in[i] + s.pad_begin[i] + pad_end - (kernel[i] - 1) * s.dilation[i] - 1) / s.stride[i] + 1;
  }
  return s;
}

/// Scatters every input value to the outputs that it reaches.
std::vector<double> scatter(const DepthwiseShape& s, const float* x, const float* w) {
  std::vector<double> y(size_t(s.rows() * s.out[2] * s.channels));
  const auto reach = [&](int axis, int64_t in, int64_t k) -> int64_t {
    const int64_t scaled = in + s.pad_begin[axis] - k * s.dilation[axis];
    return scaled >= 0 && scaled % s.stride[axis] == 0 && scaled / s.stride[axis] < s.out[axis]
               ? scaled / s.stride[axis]
               : -1;
  };
  const int64_t pixels = s.in[0] * s.in[1] * s.in[2], taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  for (int64_t p = 0; p < s.batch * pixels; ++p) {
    for (int64_t t = 0; t < taps; ++t) {
      const int64_t oz = reach(0, p / s.in[2] / s.in[1] % s.in[0], t / s.kernel[2] / s.kernel[1]);
      const int64_t oy = reach(1, p / s.in[2] % s.in[1], t / s.kernel[2] % s.kernel[1]);
      const int64_t ox = reach(2, p % s.in[2], t % s.kernel[2]);
      if (oz < 0 || oy < 0 || ox < 0) continue;
      const int64_t out = ((p / pixels * s.out[0] + oz) * s.out[1] + oy) * s.out[2] + ox;
      for (int64_t c = 0; c < s.channels; ++c) {
        y[size_t(out * s.channels + c)] += double(x[p * s.channels + c]) * double(w[t * s.channels + c]);
      }
    }
  }
  return y;
}

class DepthwiseKernel : public ::testing::TestWithParam<Isa> {};

void check(const Case& c, Isa isa) {
  const DepthwiseShape s = shape_of(c);
  const int64_t outputs = s.rows() * s.out[2] * s.channels;
  const GuardedFloats x(s.batch * s.in[0] * s.in[1] * s.in[2] * s.channels, 1);
  const GuardedFloats w(s.kernel[0] * s.kernel[1] * s.kernel[2] * s.channels, 2), bias(s.channels, 3);
  GuardedFloats residual(outputs, 4), y(outputs);
  Epilogue epilogue{.bias = bias.data(), .residual = residual.data(), .residual_pitch = s.channels, .low = -1.5f};
  epilogue.activation = [](const float* from, float* to, int64_t n, float alpha, float) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i] * alpha;
  };
  epilogue.alpha = 2;
  const DepthwiseKernels& kernels = kernel_table(isa).depthwise;
  for (int64_t row = 0; row < s.rows(); row += 3) {
    kernels.rows_f32(s, x.data(), w.data(), epilogue, y.data(), row, std::min(row + 3, s.rows()));
  }
  const std::vector<double> sums = scatter(s, x.data(), w.data());
  for (int64_t i = 0; i < outputs; ++i) {
    const double want = 2 * std::max(-1.5, sums[size_t(i)] + bias[i % s.channels] + residual[i]);
    ASSERT_NEAR(y[i], want, 1e-5) << "channels " << c.channels << " kernel " << c.kernel << " stride " << c.stride;
  }
  // In place of its own residual.
  kernels.rows_f32(s, x.data(), w.data(), epilogue, residual.data(), 0, s.rows());
  ASSERT_TRUE(std::equal(y.data(), y.data() + outputs, residual.data()));
}

TEST_P(DepthwiseKernel, MatchesTheScatteredSumInDoublePrecision) {
  for (const int64_t channels : {1, 3, 4, 8, 12, 16, 24, 33}) {
    for (const int64_t kernel : {1, 2, 3, 4, 5, 7}) {
      for (const int64_t stride : {1, 2, 3}) {
        for (const int64_t width : {7, 19, 30}) {
          check({channels, width, kernel, stride, 1, kernel / 2, kernel / 3}, GetParam());
        }
      }
    }
    check({channels, 17, 3, 1, 2, 2, 2}, GetParam());
    check({channels, 17, 3, 2, 2, 3, 1}, GetParam());
    check({channels, 9, 3, 1, 1, 0, 0, 3}, GetParam());
    check({channels, 2, 5, 1, 1, 4, 4}, GetParam());
    check({channels, 40, 5, 1, 3, 6, 5}, GetParam());
    check({channels, 2, 3, 1, 3, 3, 3}, GetParam());         // more phases than pixels
    check({channels, 9, 3, 1, 1, 1, 1, 1, 19}, GetParam());  // many kernel rows
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, DepthwiseKernel, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace linnet::testing
