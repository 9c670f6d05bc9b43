#include <gtest/gtest.h>

#include "kernels/kernels_for.h"
#include "support/conv_reference.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

OpCase conv(const ConvSettings& settings, const std::string& domain = "") {
  OpCase op{"Conv", 11};
  op.domain = domain;
  if (!domain.empty()) op.opset = 1;
  op.attributes = {{"strides", settings.strides},
                   {"pads", settings.pads},
                   {"dilations", settings.dilations},
                   {"group", settings.group}};
  return op;
}

struct ConvCase {
  Shape x, w;
  ConvSettings settings;
};

std::vector<ConvCase> cases() {
  return {
      {{1, 3, 9, 8}, {5, 3, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}},     // few channels
      {{2, 3, 15, 13}, {34, 3, 7, 7}, {{2, 2}, {3, 3, 3, 3}, {1, 1}, 1}},  // first layer of a ResNet
      {{1, 1, 4, 3}, {2, 1, 3, 5}, {{1, 1}, {1, 4, 2, 3}, {1, 1}, 1}},     // padding wider than the input
      {{2, 24, 7, 6}, {40, 24, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}},
      {{1, 33, 10, 11}, {7, 33, 3, 2}, {{2, 3}, {0, 1, 2, 3}, {2, 1}, 1}},  // asymmetric, strided, dilated
      {{1, 8, 12, 12}, {16, 8, 3, 3}, {{1, 1}, {4, 4, 4, 4}, {4, 4}, 1}},
      {{3, 20, 5, 7}, {35, 20, 1, 1}, {{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}},  // a matrix product
      {{1, 20, 6, 7}, {35, 20, 1, 1}, {{2, 2}, {0, 0, 0, 0}, {1, 1}, 1}},
      {{1, 4, 3, 3}, {6, 4, 1, 1}, {{1, 1}, {1, 0, 2, 1}, {1, 1}, 1}},    // padding only
      {{2, 12, 6, 5}, {18, 4, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}, 3}},  // groups
      {{1, 12, 6, 5}, {30, 6, 1, 1}, {{1, 1}, {0, 0, 0, 0}, {1, 1}, 2}},
      {{1, 52, 6, 5}, {52, 4, 3, 3}, {{2, 1}, {1, 1, 1, 1}, {1, 1}, 13}},  // groups that share vectors
      {{2, 40, 7, 5}, {40, 8, 3, 3}, {{1, 1}, {1, 0, 1, 2}, {1, 1}, 5}},
      {{1, 8, 3, 3}, {8, 4, 1, 2}, {{1, 1}, {0, 0, 0, 0}, {1, 1}, 2}},
      {{2, 19, 9, 7}, {19, 1, 3, 3}, {{2, 1}, {1, 1, 1, 1}, {1, 1}, 19}},     // depthwise
      {{1, 5, 9, 7}, {15, 1, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 2}, 5}},       // depthwise, three outputs per channel
      {{1, 1024, 3, 4}, {6, 1024, 1, 1}, {{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}},  // a pitch of 4096 bytes
      {{1, 2100, 3, 3}, {3, 2100, 2, 2}, {{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}},  // several blocks of taps
      {{2, 800, 6, 20}, {3, 800, 3, 3}, {{1, 1}, {5, 5, 5, 5}, {5, 5}, 1}},   // blocks that are in the padding
      {{1, 90, 7, 30}, {35, 90, 3, 3}, {{1, 1}, {9, 9, 9, 9}, {9, 9}, 1}},    // taps that are in the padding
      {{1, 700, 5, 5}, {6, 700, 1, 1}, {{2, 2}, {1, 1, 1, 1}, {1, 1}, 1}},    // several blocks of one tap's channels
  };
}

class Conv : public ::testing::TestWithParam<Isa> {};

TEST_P(Conv, EqualsTheDefinitionInBothLayouts) {
  unsigned seed = 1;
  for (const ConvCase& c : cases()) {
    const Tensor x = random_tensor(c.x, ++seed), w = random_tensor(c.w, ++seed);
    const Tensor bias = random_tensor({c.w[0]}, ++seed);
    const Tensor want = conv_reference(x, w, bias, c.settings);
    SCOPED_TRACE(str("x ", c.x, " w ", c.w, " group ", c.settings.group));
    expect_close(run_op(conv(c.settings), {x, w, bias}, 1, {1, 2}, GetParam())[0], want, 2e-4, 1e-5);
    expect_close(run_op(conv(c.settings), {x, w, bias}, 1, {}, GetParam())[0], want, 2e-4, 1e-5);
    const Tensor last = run_op(conv(c.settings, "linnet"), {to_channels_last(x), w, bias}, 1, {1}, GetParam())[0];
    expect_close(to_channels_first(last), want, 2e-4, 1e-5);
  }
}

TEST_P(Conv, AddsTheResidualBeforeTheActivation) {
  for (const int64_t group : {1, 4, 16}) {
    const Tensor x = random_tensor({2, 16, 5, 6}, 1), w = random_tensor({16, 16 / group, 3, 3}, 2);
    const Tensor residual = random_tensor({2, 16, 3, 4}, 3);
    const Tensor sums = conv_reference(x, w, {}, {.group = group});
    Tensor relu = sums.clone(), leaky = sums.clone();
    for (int64_t i = 0; i < sums.size(); ++i) {
      const float sum = sums.data<float>()[i] + residual.data<float>()[i];
      relu.data<float>()[i] = sum > 0 ? sum : 0;
      leaky.data<float>()[i] = sum > 0 ? sum : sum * 0.125f;
    }
    OpCase op = conv({.group = group}, "linnet");
    const std::vector<Tensor> inputs = {to_channels_last(x), w, {}, to_channels_last(residual)};
    op.attributes["activation"] = std::string("Relu");
    expect_close(to_channels_first(run_op(op, inputs, 1, {1}, GetParam())[0]), relu, 1e-4, 1e-5);
    op.attributes["activation"] = std::string("LeakyRelu");
    op.attributes["activation_alpha"] = 0.125f;
    expect_close(to_channels_first(run_op(op, inputs, 1, {1}, GetParam())[0]), leaky, 1e-4, 1e-5);
  }
}

TEST_P(Conv, MultipliesNegativeSumsByTheSlopeOfTheirChannel) {
  unsigned seed = 50;
  for (const ConvCase& c : cases()) {
    const Tensor x = random_tensor(c.x, ++seed), w = random_tensor(c.w, ++seed);
    const Tensor bias = random_tensor({c.w[0]}, ++seed), slope = random_tensor({c.w[0]}, ++seed);
    Tensor want = conv_reference(x, w, bias, c.settings);
    const int64_t pixels = want.shape().elements(2, want.rank());
    for (int64_t i = 0; i < want.size(); ++i) {
      float& sum = want.data<float>()[i];
      if (sum < 0) sum *= slope.data<float>()[i / pixels % c.w[0]];
    }
    SCOPED_TRACE(str("x ", c.x, " w ", c.w, " group ", c.settings.group));
    const std::vector<Tensor> inputs{to_channels_last(x), w, bias, {}, slope};
    const Tensor last = run_op(conv(c.settings, "linnet"), inputs, 1, {1}, GetParam())[0];
    expect_close(to_channels_first(last), want, 2e-4, 1e-5);
  }
}

TEST_P(Conv, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor x = random_tensor({1, 40, 30, 31}, 1), w = random_tensor({70, 40, 3, 3}, 2);
  const Tensor one = run_op(conv({}), {x, w}, 1, {1}, GetParam(), 1)[0];
  for (const int threads : {2, 3, 8}) {
    EXPECT_TRUE(identical(run_op(conv({}), {x, w}, 1, {1}, GetParam(), threads)[0], one)) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Conv, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

TEST(ConvOp, HasOneToThreeSpatialAxes) {
  const Tensor x = random_tensor({2, 6, 5, 7}, 1), w = random_tensor({4, 6, 3, 1}, 2);
  const Tensor want = conv_reference(x, w, {}, {});
  OpCase volume{"Conv", 11};
  const Tensor y = run_op(volume, {x.reshaped({2, 6, 5, 1, 7}), w.reshaped({4, 6, 3, 1, 1})})[0];
  expect_close(y.reshaped(want.shape()), want, 1e-4, 1e-5);

  const Tensor line = random_tensor({2, 6, 1, 9}, 3), line_w = random_tensor({4, 6, 1, 4}, 4);
  const Tensor line_want = conv_reference(line, line_w, {}, {.strides = {1, 2}});
  OpCase one_axis{"Conv", 11, {{"strides", std::vector<int64_t>{2}}}};
  expect_close(run_op(one_axis, {line.reshaped({2, 6, 9}), line_w.reshaped({4, 6, 4})})[0],
               line_want.reshaped({2, 4, line_want.dim(3)}), 1e-4, 1e-5);
}

TEST(ConvOp, PadsAutomatically) {
  const Tensor x = random_tensor({1, 2, 5, 6}, 1), w = random_tensor({3, 2, 2, 3}, 2);
  const auto run = [&](const std::string& auto_pad) {
    return run_op({"Conv", 11, {{"auto_pad", auto_pad}, {"strides", std::vector<int64_t>{2, 2}}}}, {x, w})[0];
  };
  // Rows: 5 by 2 give 3, which need 1 row of padding; columns: 6 by 2 give 3, which need 1 column.
  expect_close(run("SAME_UPPER"), conv_reference(x, w, {}, {{2, 2}, {0, 0, 1, 1}}), 1e-4, 1e-5);
  expect_close(run("SAME_LOWER"), conv_reference(x, w, {}, {{2, 2}, {1, 1, 0, 0}}), 1e-4, 1e-5);
  expect_close(run("VALID"), conv_reference(x, w, {}, {{2, 2}}), 1e-4, 1e-5);
}

TEST(ConvOp, ComputesOtherFloatTypes) {
  for (const int64_t group : {1, 2}) {
    const Tensor x = random_tensor({2, 4, 6, 5}, 1), w = random_tensor({6, 4 / group, 3, 3}, 2);
    const Tensor bias = random_tensor({6}, 3);
    const ConvSettings settings{{1, 2}, {1, 1, 0, 2}, {1, 1}, group};
    for (const auto& [dtype, tolerance] :
         {std::pair{DType::kFloat64, 1e-6}, {DType::kFloat16, 1e-3}, {DType::kBFloat16, 8e-3}}) {
      const Tensor tx = cast_to(x, dtype), tw = cast_to(w, dtype), tb = cast_to(bias, dtype);
      const auto f32 = [](const Tensor& t) { return cast_to(t, DType::kFloat32); };
      const Tensor want = conv_reference(f32(tx), f32(tw), f32(tb), settings);
      for (const std::vector<int>& constants : {std::vector<int>{}, {1, 2}}) {
        const Tensor y = run_op(conv(settings), {tx, tw, tb}, 1, constants)[0];
        EXPECT_EQ(y.dtype(), dtype);
        expect_close(f32(y), want, tolerance, tolerance);
      }
    }
  }
}

TEST(ConvOp, ComputesNothingForEmptyOutputs) {
  EXPECT_EQ(run_op(conv({}), {random_tensor({0, 3, 5, 5}), random_tensor({4, 3, 3, 3})})[0].shape(),
            (Shape{0, 4, 3, 3}));
  EXPECT_EQ(run_op(conv({}), {random_tensor({1, 3, 5, 5}), random_tensor({0, 3, 3, 3})})[0].shape(),
            (Shape{1, 0, 3, 3}));
}

TEST(ConvOp, RejectsWhatDoesNotFit) {
  const Tensor x = random_tensor({1, 4, 5, 5});
  expect_error(ErrorKind::kShape, "input channels", [&] { run_op(conv({}), {x, random_tensor({2, 3, 3, 3})}); });
  expect_error(ErrorKind::kShape, "multiple of group", [&] {
    run_op(conv({.group = 2}), {x, random_tensor({3, 2, 3, 3})});
  });
  expect_error(ErrorKind::kShape, "does not fit", [&] { run_op(conv({}), {x, random_tensor({2, 4, 6, 3})}); });
  expect_error(ErrorKind::kShape, "length of B", [&] {
    run_op(conv({}), {x, random_tensor({2, 4, 3, 3}), random_tensor({3})});
  });
  expect_error(ErrorKind::kShape, "kernel_shape", [&] {
    run_op({"Conv", 11, {{"kernel_shape", std::vector<int64_t>{2, 3}}}}, {x, random_tensor({2, 4, 3, 3})});
  });
  for (const int64_t stride : {int64_t{0}, INT64_MAX}) {
    expect_error(ErrorKind::kModel, "strides must be in [1, 2^31]", [&] {
      run_op(conv({.strides = {stride, 1}}), {x, random_tensor({2, 4, 3, 3})});
    });
  }
  expect_error(ErrorKind::kType, "inputs X and W", [&] {
    run_op(conv({}), {x, cast_to(random_tensor({2, 4, 3, 3}), DType::kFloat64)});
  });
}

}  // namespace
}  // namespace linnet::testing
