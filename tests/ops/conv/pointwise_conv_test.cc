#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/isa.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct PointwiseSizes {
  int64_t images, pixels;
  std::vector<int64_t> channels;
  int64_t out_channels;
  bool scale = false, per_image = false, shift = false, relu = false;
};

int64_t depth_of(const PointwiseSizes& s) {
  int64_t depth = 0;
  for (const int64_t channels : s.channels) depth += channels;
  return depth;
}

OpCase op_of(const PointwiseSizes& s) {
  return {"PointwiseConv",
          1,
          {{"relu", int64_t{s.relu}}, {"activation", std::string("LeakyRelu")}, {"activation_alpha", 0.125f}},
          "linnet"};
}

/// Returns w, bias, residual, scale, shift, x...; tensors are [images, pixels, channels].
std::vector<Tensor> inputs_of(const PointwiseSizes& s) {
  const int64_t depth = depth_of(s);
  std::vector<Tensor> inputs{random_tensor({s.out_channels, depth, 1}, 1),
                             random_tensor({s.out_channels}, 2),
                             random_tensor({s.images, s.pixels, s.out_channels}, 3),
                             {},
                             {}};
  if (s.scale) inputs[3] = random_tensor(s.per_image ? Shape{s.images, 1, depth} : Shape{depth}, 4);
  if (s.shift) inputs[4] = random_tensor({depth}, 5);
  unsigned seed = 6;
  for (const int64_t channels : s.channels) inputs.push_back(random_tensor({s.images, s.pixels, channels}, ++seed));
  return inputs;
}

double scaled(const PointwiseSizes& s, const std::vector<Tensor>& in, int64_t image, int64_t channel, double x) {
  if (s.scale) x *= double(in[3].data<float>()[(s.per_image ? image * depth_of(s) : 0) + channel]);
  if (s.shift) x += double(in[4].data<float>()[channel]);
  return s.relu ? std::max(0.0, x) : x;
}

Tensor pointwise_reference(const PointwiseSizes& s, const std::vector<Tensor>& in) {
  Tensor y(DType::kFloat32, {s.images, s.pixels, s.out_channels});
  for (int64_t row = 0; row < s.images * s.pixels; ++row) {
    for (int64_t o = 0; o < s.out_channels; ++o) {
      double sum = double(in[1].data<float>()[o]) + double(in[2].data<float>()[row * s.out_channels + o]);
      int64_t k = 0;
      for (size_t t = 0; t < s.channels.size(); ++t) {
        const float* x = in[5 + t].data<float>() + row * s.channels[t];
        for (int64_t c = 0; c < s.channels[t]; ++c, ++k) {
          sum += scaled(s, in, row / s.pixels, k, double(x[c])) * double(in[0].data<float>()[o * depth_of(s) + k]);
        }
      }
      y.data<float>()[row * s.out_channels + o] = float(sum > 0 ? sum : sum * 0.125);
    }
  }
  return y;
}

class PointwiseConv : public ::testing::TestWithParam<Isa> {};

TEST_P(PointwiseConv, EqualsItsDefinition) {
  for (const PointwiseSizes& s : std::vector<PointwiseSizes>{
           {2, 30, {16, 16, 16}, 40},  // each input is a tap
           {1, 25, {7, 30, 1}, 33},
           {1, 50, {500, 300}, 5},         // a sum in two blocks, across the inputs
           {3, 10, {24}, 17, true, true},  // tiles of several images
           {1, 49, {40}, 300, true},
           {2, 13, {6, 20}, 20, true, false, true, true},
           {2, 13, {6, 20}, 20, true, true, true},
       }) {
    SCOPED_TRACE(str(s.channels.size(), " inputs, ", depth_of(s), " to ", s.out_channels, " channels"));
    const std::vector<Tensor> inputs = inputs_of(s);
    expect_close(run_op(op_of(s), inputs, 1, {0}, GetParam(), 3)[0], pointwise_reference(s, inputs), 2e-4, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, PointwiseConv, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

TEST(PointwiseConv, RefusesInputsThatDoNotFit) {
  const PointwiseSizes sizes{2, 9, {3, 5}, 4, true, true, true};
  const std::vector<Tensor> good = inputs_of(sizes);
  const auto run = [&](size_t input, const Tensor& value) {
    std::vector<Tensor> inputs = good;
    inputs[input] = value;
    return [=] { run_op(op_of(sizes), inputs, 1, {0}); };
  };
  expect_error(ErrorKind::kShape, "inputs and of w", run(0, random_tensor({4, 9, 1})));
  expect_error(ErrorKind::kShape, "a kernel size of w", run(0, random_tensor({4, 8, 2})));
  expect_error(ErrorKind::kShape, "bias", run(1, random_tensor({5})));
  expect_error(ErrorKind::kShape, "residual", run(2, random_tensor({2, 9, 5})));
  expect_error(ErrorKind::kShape, "scale", run(3, random_tensor({2, 9, 8})));
  expect_error(ErrorKind::kModel, "shift", run(3, {}));
  expect_error(ErrorKind::kShape, "shift", run(4, random_tensor({7})));
  expect_error(ErrorKind::kShape, "inputs x", run(6, random_tensor({2, 8, 5})));
  expect_error(ErrorKind::kUnsupported, "constant", [&] { run_op(op_of(sizes), good); });
}

}  // namespace
}  // namespace linnet::testing
