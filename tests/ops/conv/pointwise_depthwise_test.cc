#include <gtest/gtest.h>

#include "kernels/isa.h"
#include "support/conv_reference.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct PointwiseDepthwiseSizes {
  Shape x;  // channels-last
  int64_t channels;
  std::vector<int64_t> kernel{3, 3};
  ConvSettings settings{};
};

OpCase pointwise_depthwise(const ConvSettings& s, int64_t group) {
  return {"PointwiseDepthwiseConv",
          1,
          {{"strides", s.strides},
           {"pads", s.pads},
           {"dilations", s.dilations},
           {"group", group},
           {"inner_activation", std::string("Clip")},
           {"inner_activation_alpha", -1.f},
           {"inner_activation_beta", 6.f},
           {"activation", std::string("LeakyRelu")},
           {"activation_alpha", 0.125f}},
          "linnet"};
}

OpCase pointwise() {
  return {
      "Conv", 1, {{"activation", std::string("Clip")}, {"activation_alpha", -1.f}, {"activation_beta", 6.f}}, "linnet"};
}

OpCase outer_depthwise(const ConvSettings& s, int64_t group) {
  OpCase result = pointwise_depthwise(s, group);
  result.op_type = "Conv";
  return result;
}

class PointwiseDepthwise : public ::testing::TestWithParam<Isa> {};

TEST_P(PointwiseDepthwise, EqualsOneConvolutionAfterTheOther) {
  unsigned seed = 1;
  for (const PointwiseDepthwiseSizes& sizes : std::vector<PointwiseDepthwiseSizes>{
           {{1, 31, 33, 5}, 96, {3, 3}, {{2, 2}, {1, 1, 1, 1}}},
           {{2, 29, 24, 16}, 70, {3, 3}, {{1, 1}, {1, 1, 1, 1}}},  // a last block with a few more channels
           {{1, 40, 13, 3}, 200, {5, 5}, {{1, 1}, {2, 2, 2, 2}}},
           {{1, 9, 30, 7}, 12, {3, 3}, {{1, 1}, {0, 2, 2, 0}, {2, 2}}},  // uneven padding, dilated
           {{1, 60, 6, 4}, 65, {7, 1}, {{3, 1}, {6, 0, 6, 0}}},          // rows that read only padding
           {{1, 30, 9, 4}, 33, {2, 4}, {{4, 3}, {0, 0, 0, 0}}},          // lines that no window reads
           {{1, 5, 5, 2}, 1, {3, 3}, {{1, 1}, {1, 1, 1, 1}}},
       }) {
    SCOPED_TRACE(str("x ", sizes.x, " to ", sizes.channels, " channels"));
    const Tensor x = random_tensor(sizes.x, ++seed);
    const Tensor w1 = random_tensor({sizes.channels, sizes.x[3], 1, 1}, ++seed);
    const Tensor w2 = random_tensor({sizes.channels, 1, sizes.kernel[0], sizes.kernel[1]}, ++seed);
    const Tensor b1 = random_tensor({sizes.channels}, ++seed), b2 = random_tensor({sizes.channels}, ++seed);
    const Tensor between = run_op(pointwise(), {x, w1, b1}, 1, {1, 2}, GetParam())[0];
    const Tensor want =
        run_op(outer_depthwise(sizes.settings, sizes.channels), {between, w2, b2}, 1, {1, 2}, GetParam())[0];
    const OpCase op = pointwise_depthwise(sizes.settings, sizes.channels);
    const Tensor got = run_op(op, {x, w1, w2, b1, b2}, 1, {1, 2, 3, 4}, GetParam(), 3)[0];
    expect_close(got, want);
    const Tensor plain = run_op(op, {x, w1, w2}, 1, {1, 2}, GetParam())[0];
    const Tensor zeros = Tensor::of(std::vector<float>(size_t(sizes.channels)));
    expect_close(plain, run_op(op, {x, w1, w2, zeros, zeros}, 1, {1, 2}, GetParam())[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, PointwiseDepthwise, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

TEST(PointwiseDepthwise, RefusesFiltersThatDoNotFit) {
  const Tensor x = random_tensor({1, 8, 8, 4}), w1 = random_tensor({6, 4, 1, 1}), w2 = random_tensor({6, 1, 3, 3});
  const auto run = [](const std::vector<Tensor>& inputs, int64_t group = 6) {
    return [=] { run_op(pointwise_depthwise({}, group), inputs, 1, {1, 2}); };
  };
  expect_error(ErrorKind::kShape, "a kernel size of w1", run({x, random_tensor({6, 4, 1, 3}), w2}));
  expect_error(ErrorKind::kShape, "input channels", run({x, random_tensor({6, 5, 1, 1}), w2}));
  expect_error(ErrorKind::kShape, "output channels", run({x, w1, random_tensor({12, 1, 3, 3})}));
  expect_error(ErrorKind::kShape, "group of w2", run({x, w1, random_tensor({6, 3, 3, 3})}, 2));
  expect_error(ErrorKind::kShape, "length of b1", run({x, w1, w2, random_tensor({5})}));
  expect_error(ErrorKind::kUnsupported, "constant", [&] { run_op(pointwise_depthwise({}, 6), {x, w1, w2}, 1, {1}); });
}

}  // namespace
}  // namespace linnet::testing
