#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Checks the operator in float32, float64 and float16 against `want` on values in [-6, 6].
void expect_floats(const OpCase& op, double (*want)(double)) {
  struct Precision {
    DType dtype;
    double tolerance;
  };
  for (const auto& [dtype, tolerance] :
       {Precision{DType::kFloat32, 2e-6}, {DType::kFloat64, 1e-13}, {DType::kFloat16, 0x1p-11}}) {
    const Tensor x = cast_to(random_uniform({301}, -6, 6), dtype);
    Tensor expected = cast_to(x, DType::kFloat64);
    for (double& value : std::span(expected.data<double>(), size_t(expected.size()))) value = want(value);
    expect_close(cast_to(run_op(op, {x})[0], DType::kFloat64), expected, tolerance, tolerance);
  }
}

TEST(Activations, LeakyRelu) {
  expect_floats({"LeakyRelu"}, [](double x) { return x < 0 ? double(0.01f) * x : x; });
  expect_floats({"LeakyRelu", 16, {{"alpha", 0.25f}}}, [](double x) { return std::fmax(x, 0.25 * x); });
}

TEST(Activations, Elu) {
  expect_floats({"Elu"}, [](double x) { return x < 0 ? std::exp(x) - 1 : x; });
  expect_floats({"Elu", 6, {{"alpha", 2.0f}}}, [](double x) { return x < 0 ? 2 * (std::exp(x) - 1) : x; });
}

TEST(Activations, SeluHasOtherDefaultsInOpset1) {
  expect_floats({"Selu"}, [](double x) {
    return double(1.05070102214813232421875f) * (x < 0 ? double(1.67326319217681884765625f) * (std::exp(x) - 1) : x);
  });
  expect_floats({"Selu", 1},
                [](double x) { return double(1.0507f) * (x < 0 ? double(1.6732f) * (std::exp(x) - 1) : x); });
  expect_floats({"Selu", 6, {{"alpha", 2.0f}, {"gamma", 3.0f}}},
                [](double x) { return x <= 0 ? 3 * (2 * std::exp(x) - 2) : 3 * x; });
}

TEST(Activations, Celu) {
  expect_floats({"Celu", 12, {{"alpha", 2.0f}}},
                [](double x) { return std::fmax(0, x) + std::fmin(0, 2 * (std::exp(x / 2) - 1)); });
}

TEST(Activations, HardSigmoid) {
  expect_floats({"HardSigmoid"}, [](double x) { return std::fmax(0, std::fmin(1, double(0.2f) * x + 0.5)); });
  expect_floats({"HardSigmoid", 6, {{"alpha", 0.5f}, {"beta", 0.75f}}},
                [](double x) { return std::fmax(0, std::fmin(1, 0.5 * x + 0.75)); });
}

TEST(Activations, Swish) {
  expect_floats({"Swish", 24}, [](double x) { return 0.5 * x * (1 + std::tanh(x / 2)); });
  expect_floats({"Swish", 24, {{"alpha", 2.0f}}}, [](double x) { return 0.5 * x * (1 + std::tanh(x)); });
}

TEST(Activations, ThresholdedRelu) {
  expect_floats({"ThresholdedRelu", 10, {{"alpha", 2.0f}}}, [](double x) { return x > 2 ? x : 0; });
}

TEST(Activations, ThresholdedReluIsZeroWhereXIsNotGreater) {
  const Tensor x = Tensor::of<float>({NAN, 1, 2, -INFINITY, INFINITY});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
    expect_close(cast_to(run_op({"ThresholdedRelu", 10}, {cast_to(x, dtype)})[0], DType::kFloat32),
                 Tensor::of<float>({0, 0, 2, 0, INFINITY}));
  }
}

TEST(Activations, GeluInBothForms) {
  expect_floats({"Gelu", 20}, [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); });
  expect_floats({"Gelu", 20, {{"approximate", std::string("tanh")}}}, [](double x) {
    return x / (1 + std::exp(-2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  });
  expect_error(ErrorKind::kModel, "approximate", [] {
    run_op({"Gelu", 20, {{"approximate", std::string("sigmoid")}}}, {Tensor::of<float>({1})});
  });
}

TEST(Activations, ShrinkOfFloatsAndIntegers) {
  expect_floats({"Shrink", 9, {{"lambd", 1.5f}, {"bias", 0.5f}}}, [](double x) {
    return x < -1.5 ? x + 0.5 : x > 1.5 ? x - 0.5 : 0;
  });
  const Tensor x = Tensor::of<int8_t>({-3, -2, -1, 0, 1, 2, 3});
  expect_close(run_op({"Shrink", 9, {{"lambd", 1.5f}, {"bias", 1.0f}}}, {x})[0],
               Tensor::of<int8_t>({-2, -1, 0, 0, 0, 1, 2}));
}

TEST(Activations, ShrinkOfIntegersByWhatFitsNoneIsAsCast) {
  const Tensor x = Tensor::of<int32_t>({-3, 0, 3});
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::lowest();
  for (const float bias : {std::numeric_limits<float>::quiet_NaN(), 1e30f}) {
    expect_close(run_op({"Shrink", 9, {{"bias", bias}}}, {x})[0], Tensor::of<int32_t>({kLeast, 0, kLeast}));
  }
}

TEST(Activations, PropagateNan) {
  const Tensor nan = Tensor::of<float>({std::numeric_limits<float>::quiet_NaN()});
  for (const char* op : {"Celu", "Elu", "HardSigmoid", "LeakyRelu", "Selu", "Swish", "Gelu"}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const Tensor y = cast_to(run_op({op, 24}, {cast_to(nan, dtype)})[0], DType::kFloat32);
      EXPECT_TRUE(std::isnan(y.data<float>()[0])) << op << " " << dtype;
    }
  }
}

TEST(PRelu, BroadcastsTheSlopeToX) {
  const Tensor x = Tensor::of<float>({1, 2, 2}, {-1, 2, -3, -4});
  const Tensor slope = Tensor::of<float>({2, 1}, {0.5f, 2});
  expect_close(run_op({"PRelu"}, {x, slope})[0], Tensor::of<float>({1, 2, 2}, {-0.5f, 2, -6, -8}));
  expect_close(run_op({"PRelu"}, {cast_to(x, DType::kInt32), Tensor::of<int32_t>({3})})[0],
               Tensor::of<int32_t>({1, 2, 2}, {-3, 2, -9, -12}));
  expect_error(ErrorKind::kShape, "slope", [&] { run_op({"PRelu"}, {x, Tensor::of<float>({1, 2, 3})}); });
}

TEST(PRelu, TakesOneSlopePerChannelBeforeOpset7) {
  const Tensor x = Tensor::of<float>({1, 2, 3}, {-1, -1, -1, -1, -1, -1});
  expect_close(run_op({"PRelu", 6}, {x, Tensor::of<float>({2, 3})})[0],
               Tensor::of<float>({1, 2, 3}, {-2, -2, -2, -3, -3, -3}));
}

}  // namespace
}  // namespace linnet::testing
