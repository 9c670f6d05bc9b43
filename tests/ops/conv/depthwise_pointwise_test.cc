#include <gtest/gtest.h>

#include "kernels/isa.h"
#include "support/conv_reference.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct DepthwisePointwiseSizes {
  Shape x;  // channels-last
  int64_t out_channels;
  std::vector<int64_t> kernel{3, 3};
  ConvSettings settings{};
};

OpCase inner_depthwise(const ConvSettings& s, int64_t group) {
  return {"Conv",
          1,
          {{"strides", s.strides},
           {"pads", s.pads},
           {"dilations", s.dilations},
           {"group", group},
           {"activation", std::string("Clip")},
           {"activation_alpha", -1.f},
           {"activation_beta", 6.f}},
          "linnet"};
}

const Attributes kLeaky{{"activation", std::string("LeakyRelu")}, {"activation_alpha", 0.125f}};

OpCase depthwise_pointwise(const ConvSettings& s, int64_t group) {
  OpCase result = inner_depthwise(s, group);
  result.op_type = "DepthwisePointwiseConv";
  for (const char* name : {"activation", "activation_alpha", "activation_beta"}) {
    result.attributes[std::string("inner_") + name] = result.attributes[name];
    result.attributes.erase(name);
  }
  result.attributes.insert(kLeaky.begin(), kLeaky.end());
  return result;
}

class DepthwisePointwise : public ::testing::TestWithParam<Isa> {};

TEST_P(DepthwisePointwise, EqualsOneConvolutionAfterTheOther) {
  unsigned seed = 1;
  for (const DepthwisePointwiseSizes& sizes : std::vector<DepthwisePointwiseSizes>{
           {{1, 31, 33, 72}, 24, {3, 3}, {{2, 2}, {1, 1, 1, 1}}},
           {{2, 14, 14, 40}, 17, {5, 5}, {{1, 1}, {2, 2, 2, 2}}},  // groups of lines of two images
           {{1, 7, 7, 600}, 33, {3, 3}, {{1, 1}, {1, 1, 1, 1}}},   // a sum of two blocks
           {{1, 3, 5, 1008}, 8, {3, 3}, {{1, 1}, {1, 1, 1, 1}}},   // rows a page apart
           {{1, 60, 100, 16}, 16, {3, 3}, {{1, 1}, {1, 1, 1, 1}}},
           {{1, 9, 30, 7}, 12, {3, 3}, {{1, 1}, {0, 2, 2, 0}, {2, 2}}},  // uneven padding, dilated, few channels
           {{1, 60, 6, 65}, 4, {7, 1}, {{3, 1}, {6, 0, 6, 0}}},          // rows that read only padding
           {{1, 30, 9, 33}, 4, {2, 4}, {{4, 3}, {0, 0, 0, 0}}},
           {{1, 1, 1, 2}, 1, {3, 3}, {{1, 1}, {1, 1, 1, 1}}},
       }) {
    SCOPED_TRACE(str("x ", sizes.x, " to ", sizes.out_channels, " channels"));
    const int64_t channels = sizes.x[3];
    const Tensor x = random_tensor(sizes.x, ++seed);
    const Tensor w1 = random_tensor({channels, 1, sizes.kernel[0], sizes.kernel[1]}, ++seed);
    const Tensor w2 = random_tensor({sizes.out_channels, channels, 1, 1}, ++seed);
    const Tensor b1 = random_tensor({channels}, ++seed), b2 = random_tensor({sizes.out_channels}, ++seed);
    const OpCase first = inner_depthwise(sizes.settings, channels), second{"Conv", 1, kLeaky, "linnet"};
    const OpCase op = depthwise_pointwise(sizes.settings, channels);
    const Tensor between = run_op(first, {x, w1, b1}, 1, {1, 2}, GetParam())[0];
    const Tensor residual = random_tensor(run_op(second, {between, w2}, 1, {1}, GetParam())[0].shape(), ++seed);
    const Tensor want = run_op(second, {between, w2, b2, residual}, 1, {1, 2}, GetParam())[0];
    for (const int threads : {1, 3}) {
      const Tensor got = run_op(op, {x, w1, w2, b1, b2, residual}, 1, {1, 2, 3, 4}, GetParam(), threads)[0];
      expect_close(got, want);  // The results are equal bit by bit because sums are added in the same order.
    }
    const Tensor plain = run_op(op, {x, w1, w2}, 1, {1, 2}, GetParam())[0];
    const Tensor without = run_op(first, {x, w1}, 1, {1}, GetParam())[0];
    expect_close(plain, run_op(second, {without, w2}, 1, {1}, GetParam())[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, DepthwisePointwise, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

TEST(DepthwisePointwise, TakesAnyNumberOfSpatialAxes) {
  const Tensor x = random_tensor({2, 5, 6, 7, 20}, 1), w1 = random_tensor({20, 1, 3, 1, 2}, 2);
  const Tensor w2 = random_tensor({9, 20, 1, 1, 1}, 3);
  ConvSettings settings;
  settings.strides = {1, 2, 1};
  settings.pads = {1, 0, 0, 1, 0, 1};
  settings.dilations = {1, 1, 1};
  const Tensor between = run_op(inner_depthwise(settings, 20), {x, w1}, 1, {1})[0];
  expect_close(run_op(depthwise_pointwise(settings, 20), {x, w1, w2}, 1, {1, 2})[0],
               run_op({"Conv", 1, kLeaky, "linnet"}, {between, w2}, 1, {1})[0]);
}

TEST(DepthwisePointwise, RefusesFiltersThatDoNotFit) {
  const Tensor x = random_tensor({1, 8, 8, 6}), w1 = random_tensor({6, 1, 3, 3}), w2 = random_tensor({4, 6, 1, 1});
  const auto run = [](const std::vector<Tensor>& inputs, int64_t group = 6) {
    return [=] { run_op(depthwise_pointwise({}, group), inputs, 1, {1, 2}); };
  };
  expect_error(ErrorKind::kShape, "a kernel size of w2", run({x, w1, random_tensor({4, 6, 1, 3})}));
  expect_error(ErrorKind::kShape, "input channels", run({x, w1, random_tensor({4, 5, 1, 1})}));
  expect_error(ErrorKind::kShape, "channels", run({x, random_tensor({12, 1, 3, 3}), w2}));
  expect_error(ErrorKind::kShape, "group of w1", run({x, random_tensor({6, 3, 3, 3}), w2}, 2));
  expect_error(ErrorKind::kShape, "length of b1", run({x, w1, w2, random_tensor({5})}));
  const Tensor b1 = random_tensor({6}), b2 = random_tensor({4});
  expect_error(ErrorKind::kShape, "residual", run({x, w1, w2, b1, b2, random_tensor({1, 8, 8, 4})}));
  expect_error(ErrorKind::kUnsupported, "constant", [&] { run_op(depthwise_pointwise({}, 6), {x, w1, w2}, 1, {1}); });
}

}  // namespace
}  // namespace linnet::testing
