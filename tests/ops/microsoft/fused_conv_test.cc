#include <gtest/gtest.h>

#include "support/conv_reference.h"
#include "support/expect_unchanged.h"
#include "support/run_expanded.h"

namespace linnet::testing::fused_conv {
namespace {

const Attributes kConv{{"pads", std::vector<int64_t>{1, 0, 1, 0}}, {"strides", std::vector<int64_t>{2, 1}}};
const Tensor kX = random_tensor({2, 3, 5, 4}, 1), kW = random_tensor({2, 3, 3, 3}, 2), kB = random_tensor({2}, 3);
const Tensor kZ = random_tensor({2, 2, 3, 2}, 4);

/// Returns Conv, plus the summand if present, followed by a function.
Tensor expected(const Tensor& bias, const Tensor& z, const OpCase& function) {
  Tensor y = run_op({"Conv", 11, kConv}, {kX, kW, bias})[0];
  if (z) y = run_op({"Add", 14}, {y, z})[0];
  return function.op_type.empty() ? y : run_op(function, {y})[0];
}

Attributes with(const std::string& activation, const std::vector<float>& parameters) {
  Attributes attributes = kConv;
  attributes["activation"] = activation;
  if (!parameters.empty()) attributes["activation_params"] = parameters;
  return attributes;
}

TEST(FusedConv, IsAFunctionOfTheSum) {
  const std::tuple<std::string, std::vector<float>, OpCase> functions[] = {
      {"Relu", {}, {"Relu", 14}},
      {"Tanh", {}, {"Tanh", 13}},
      {"Sigmoid", {}, {"Sigmoid", 13}},
      {"Silu", {}, {"Swish", 24}},
      {"LeakyRelu", {0.3f}, {"LeakyRelu", 16, {{"alpha", 0.3f}}}},
      {"HardSigmoid", {0.3f, 0.4f}, {"HardSigmoid", 6, {{"alpha", 0.3f}, {"beta", 0.4f}}}},
      {"Clip", {-0.5f, 0.7f}, {"Clip", 6, {{"min", -0.5f}, {"max", 0.7f}}}},
  };
  for (const auto& [name, parameters, op] : functions) {
    for (const Tensor& z : {kZ, Tensor()}) {
      const Tensor y = run_expanded("FusedConv", with(name, parameters), {kX, kW, kB, z})[0];
      expect_close(y, expected(kB, z, op), 1e-5, 1e-5);
    }
  }
  expect_close(run_expanded("FusedConv", kConv, {kX, kW, Tensor(), kZ})[0], expected(Tensor(), kZ, {""}), 1e-5, 1e-5);
}

TEST(FusedConv, ChannelsMayBeLast) {
  const Tensor want = to_channels_last(expected(kB, kZ, {"Relu", 14}));
  const std::vector<Tensor> inputs{to_channels_last(kX), kW, kB, to_channels_last(kZ)};
  expect_close(run_expanded("NhwcFusedConv", with("Relu", {}), inputs)[0], want, 1e-5, 1e-5);
  expect_close(run_expanded("NhwcConv", kConv, {to_channels_last(kX), to_channels_last(kW), kB})[0],
               to_channels_last(expected(kB, Tensor(), {""})), 1e-5, 1e-5);
}

TEST(FusedConv, IsOneConvolution) {
  GraphBuilder b;
  b.output(b.op("FusedConv", {b.input("x", kX.shape()), b.constant(kW), b.constant(kB), b.input("z", kZ.shape())},
                with("Relu", {}), "com.microsoft"));
  EXPECT_EQ(optimized_ops(b), "Transpose Transpose +Conv Transpose");
}

TEST(FusedConv, RefusesWhatDoesNotFit) {
  const auto run = [](const Attributes& attributes, const Tensor& z) {
    run_op({"FusedConv", 1, attributes, "com.microsoft"}, {kX, kW, kB, z});
  };
  expect_error(ErrorKind::kModel, "activation must be one of Relu", [&] { run(with("Gelu", {}), kZ); });
  expect_error(ErrorKind::kModel, "activation_params must have 2 values", [&] { run(with("Clip", {1}), kZ); });
  expect_error(ErrorKind::kShape, "Z", [&] { run(kConv, random_tensor({2, 2, 1, 1})); });
  expect_error(ErrorKind::kType, "X and Z", [&] { run(kConv, cast_to(kZ, DType::kFloat64)); });
}

}  // namespace
}  // namespace linnet::testing::fused_conv
