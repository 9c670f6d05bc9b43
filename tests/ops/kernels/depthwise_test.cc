#include "kernels/depthwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "conv/depthwise_row.h"
#include "kernels/kernels_for.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct Case {
  int64_t channels, width, kernel, stride, dilation, pad_begin, pad_end, depth = 1, kernel_height = 3;
};

ConvGeometry geometry_of(const Case& c) {
  ConvGeometry g{.batch = 2, .in_channels = c.channels, .out_channels = c.channels, .group = c.channels};
  const int64_t in[3] = {c.depth, 5, c.width}, kernel[3] = {c.depth > 1 ? 2 : 1, c.kernel_height, c.kernel};
  for (int i = 0; i < 3; ++i) {
    ConvAxis& axis = g.axes[size_t(i)];
    axis.in = in[i];
    axis.kernel = kernel[i];
    axis.stride = i == 2 ? c.stride : 1;
    axis.dilation = i == 0 ? 1 : c.dilation;
    axis.pad_begin = i == 2 ? c.pad_begin : i * (axis.kernel / 2);
    const int64_t pad_end = i == 2 ? c.pad_end : axis.pad_begin;
    axis.out = (in[i] + axis.pad_begin + pad_end - axis.extent()) / axis.stride + 1;
  }
  return g;
}

/// Adds every input value to the outputs that it contributes to.
std::vector<double> scatter(const ConvGeometry& g, const float* x, const float* w) {
  const auto& [depth, height, width] = g.axes;
  const int64_t channels = g.in_channels;
  std::vector<double> y(size_t(g.batch * g.out_pixels() * channels));
  const auto reach = [](const ConvAxis& axis, int64_t in, int64_t k) -> int64_t {
    const int64_t scaled = in + axis.pad_begin - k * axis.dilation;
    return scaled >= 0 && scaled % axis.stride == 0 && scaled / axis.stride < axis.out ? scaled / axis.stride : -1;
  };
  for (int64_t p = 0; p < g.batch * g.in_pixels(); ++p) {
    for (int64_t t = 0; t < g.taps(); ++t) {
      const int64_t oz = reach(depth, p / width.in / height.in % depth.in, t / width.kernel / height.kernel);
      const int64_t oy = reach(height, p / width.in % height.in, t / width.kernel % height.kernel);
      const int64_t ox = reach(width, p % width.in, t % width.kernel);
      if (oz < 0 || oy < 0 || ox < 0) continue;
      const int64_t out = ((p / g.in_pixels() * depth.out + oz) * height.out + oy) * width.out + ox;
      for (int64_t c = 0; c < channels; ++c) {
        y[size_t(out * channels + c)] += double(x[p * channels + c]) * double(w[t * channels + c]);
      }
    }
  }
  return y;
}

void run_rows(const ConvGeometry& g, const float* x, const float* w, const Epilogue& epilogue, Isa isa, float* y) {
  const int64_t image_rows = g.axes[0].out * g.axes[1].out;
  std::vector<const float*> pointers(size_t(line_pointers(g)));
  for (int64_t r = 0; r < g.batch * image_rows; ++r) {
    DepthwiseRow row = depthwise_row(g.axes[2], g.in_channels);
    const float* image = x + r / image_rows * g.in_pixels() * g.in_channels;
    row.y = y + r * row.out * g.in_channels;
    row.epilogue = epilogue.at(r * row.out, 0);
    const auto line_at = [&](int64_t line) { return image + line * row.in * g.in_channels; };
    set_lines(g, r % image_rows, false, w, line_at, pointers.data(), row);
    kernels_for<DepthwiseKernels>(isa).row_f32(row);
  }
}

/// Computes all rows, in pairs where the kernels take them.
void run_pairs(const ConvGeometry& g, const float* x, const float* w, const Epilogue& epilogue, Isa isa, float* y) {
  std::vector<const float*> pointers(size_t(line_pointers(g)));
  DepthwiseRow row = depthwise_row(g.axes[2], g.in_channels);
  row.y = y;
  row.epilogue = epilogue;
  const Span rows{0, g.batch * g.axes[0].out * g.axes[1].out};
  run_depthwise_lines(kernels_for<DepthwiseKernels>(isa), g, x, w, rows, pointers.data(), row);
}

class DepthwiseKernel : public ::testing::TestWithParam<Isa> {};

void expect_scattered(const Case& c, Isa isa) {
  const ConvGeometry g = geometry_of(c);
  const int64_t outputs = g.batch * g.out_pixels() * c.channels;
  const GuardedFloats x(g.batch * g.in_pixels() * c.channels, 1), w(g.taps() * c.channels, 2), bias(c.channels, 3);
  GuardedFloats residual(outputs, 4), y(outputs);
  Epilogue epilogue{.bias = bias.data(), .residual = residual.data(), .residual_pitch = c.channels, .low = -1.5f};
  epilogue.activation = [](const float* from, float* to, int64_t n, float alpha, float) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i] * alpha;
  };
  epilogue.alpha = 2;
  run_rows(g, x.data(), w.data(), epilogue, isa, y.data());
  const std::vector<double> sums = scatter(g, x.data(), w.data());
  for (int64_t i = 0; i < outputs; ++i) {
    const double want = 2 * std::max(-1.5, sums[size_t(i)] + bias[i % c.channels] + residual[i]);
    ASSERT_NEAR(y[i], want, 1e-5) << "channels " << c.channels << " kernel " << c.kernel << " stride " << c.stride;
  }
  GuardedFloats in_pairs(outputs);
  run_pairs(g, x.data(), w.data(), epilogue, isa, in_pairs.data());
  ASSERT_TRUE(std::equal(y.data(), y.data() + outputs, in_pairs.data()));
  // The output replaces its residual in place.
  run_pairs(g, x.data(), w.data(), epilogue, isa, residual.data());
  ASSERT_TRUE(std::equal(y.data(), y.data() + outputs, residual.data()));
}

TEST_P(DepthwiseKernel, MatchesTheScatteredSumInDoublePrecision) {
  for (const int64_t channels : {1, 3, 4, 8, 12, 16, 24, 33}) {
    for (const int64_t kernel : {1, 2, 3, 4, 5, 7}) {
      for (const int64_t stride : {1, 2, 3}) {
        for (const int64_t width : {7, 19, 30}) {
          expect_scattered({channels, width, kernel, stride, 1, kernel / 2, kernel / 3}, GetParam());
        }
      }
    }
    expect_scattered({channels, 17, 3, 1, 2, 2, 2}, GetParam());
    expect_scattered({channels, 17, 3, 2, 2, 3, 1}, GetParam());
    expect_scattered({channels, 9, 3, 1, 1, 0, 0, 3}, GetParam());
    expect_scattered({channels, 2, 5, 1, 1, 4, 4}, GetParam());
    expect_scattered({channels, 40, 5, 1, 3, 6, 5}, GetParam());
    expect_scattered({channels, 2, 3, 1, 3, 3, 3}, GetParam());         // more phases than pixels
    expect_scattered({channels, 9, 3, 1, 1, 1, 1, 1, 19}, GetParam());  // many kernel rows
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, DepthwiseKernel, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace linnet::testing
