#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"
#include "support/special_floats.h"

namespace linnet::testing {
namespace {

struct Case {
  const char* op;
  double (*want)(double);
  float low, high;
};

// Definitions in other forms than the operators'.
const Case kCases[] = {
    {"Acos", [](double x) { return std::atan2(std::sqrt((1 - x) * (1 + x)), x); }, -1, 1},
    {"Acosh", [](double x) { return std::log(x + std::sqrt(x * x - 1)); }, 1.5f, 50},
    {"Asin", [](double x) { return std::atan2(x, std::sqrt((1 - x) * (1 + x))); }, -1, 1},
    {"Asinh", [](double x) { return std::copysign(std::log(std::fabs(x) + std::sqrt(x * x + 1)), x); }, -50, 50},
    {"Atan", [](double x) { return std::atan2(x, 1); }, -50, 50},
    {"Atanh", [](double x) { return 0.5 * std::log((1 + x) / (1 - x)); }, -0.99f, 0.99f},
    {"Ceil", [](double x) { return -std::floor(-x); }, -50, 50},
    {"Cos", [](double x) { return 1 - 2 * std::pow(std::sin(x / 2), 2); }, -10, 10},
    {"Cosh", [](double x) { return 0.5 * (std::exp(x) + std::exp(-x)); }, -10, 10},
    {"Erf", [](double x) { return 1 - std::erfc(x); }, -4, 4},
    {"Exp", [](double x) { return std::exp2(x / std::log(2.0)); }, -10, 10},
    {"Floor", [](double x) { return -std::ceil(-x); }, -50, 50},
    {"HardSwish", [](double x) { return x <= -3  ? 0
                                        : x >= 3 ? x
                                                 : x * (x + 3) / 6; }, -5, 5},
    {"Log", [](double x) { return std::log2(x) * std::log(2.0); }, 0.01f, 50},
    {"Mish", [](double x) { return x * (1 - 2 / (std::pow(1 + std::exp(x), 2) + 1)); }, -8, 8},
    {"Reciprocal", [](double x) { return std::pow(x, -1); }, 0.1f, 50},
    {"Sigmoid", [](double x) { return 0.5 * (1 + std::tanh(x / 2)); }, -10, 10},
    {"Sin", [](double x) { return 2 * std::sin(x / 2) * std::cos(x / 2); }, -10, 10},
    {"Sinh", [](double x) { return 0.5 * (std::exp(x) - std::exp(-x)); }, -10, 10},
    {"Softplus", [](double x) { return std::log(1 + std::exp(x)); }, -10, 10},
    {"Softsign", [](double x) { return x < 0 ? x / (1 - x) : x / (1 + x); }, -10, 10},
    {"Sqrt", [](double x) { return std::pow(x, 0.5); }, 0, 50},
    {"Tan", [](double x) { return std::sin(x) / std::cos(x); }, -1.5f, 1.5f},
    {"Tanh", [](double x) { return 1 - 2 / (std::exp(2 * x) + 1); }, -10, 10},
};

class FloatFunctions : public ::testing::TestWithParam<Case> {};

TEST_P(FloatFunctions, MeetTheirDefinition) {
  const auto& [op, want, low, high] = GetParam();
  struct Precision {
    DType dtype;
    double tolerance;
  };
  for (const auto& [dtype, tolerance] : {Precision{DType::kFloat32, 1e-6},
                                         {DType::kFloat64, 1e-13},
                                         {DType::kFloat16, 0x1p-11},
                                         {DType::kBFloat16, 0x1p-8}}) {
    const Tensor x = cast_to(random_uniform({7, 43}, low, high), dtype);
    Tensor expected = cast_to(x, DType::kFloat64);
    for (double& value : std::span(expected.data<double>(), size_t(expected.size()))) value = want(value);
    const Tensor y = run_op({op, 22}, {x})[0];
    EXPECT_EQ(y.dtype(), dtype);
    expect_close(cast_to(y, DType::kFloat64), expected, tolerance, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FloatFunctions, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.op); });

TEST(Round, TakesTiesToEven) {
  const Tensor x = Tensor::of<float>({0.1f, 0.5f, 0.9f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 1e10f, kInf});
  const Tensor want = Tensor::of<float>({0, 0, 1, 2, 2, -0.0f, -2, -2, 1e10f, kInf});
  expect_close(run_op({"Round"}, {x})[0], want);
  expect_close(run_op({"Round"}, {cast_to(x, DType::kFloat64)})[0], cast_to(want, DType::kFloat64));
}

TEST(FloatFunction, PropagateNan) {
  for (const Case& c : kCases) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kFloat64}) {
      const Tensor y = run_op({c.op, 22}, {cast_to(Tensor::of<float>({kNan}), dtype)})[0];
      EXPECT_TRUE(std::isnan(cast_to(y, DType::kFloat32).data<float>()[0])) << c.op << " " << dtype;
    }
  }
}

TEST(FloatFunction, RefuseIntegers) {
  expect_error(ErrorKind::kUnsupported, "int32", [] { run_op({"Exp"}, {Tensor::of<int32_t>({1})}); });
}

TEST(FloatFunction, TakeEmptyTensors) {
  EXPECT_EQ(run_op({"Exp"}, {Tensor(DType::kFloat32, {0, 3})})[0].shape(), (Shape{0, 3}));
}

TEST(FloatFunctions, ErfTakesIntegersAndRoundsTowardsZero) {
  const Tensor x = Tensor::of<int32_t>({-7, -1, 0, 1, 7});
  expect_close(run_op({"Erf", 9}, {x})[0], Tensor::of<int32_t>({-1, 0, 0, 0, 1}));
  EXPECT_EQ(run_op({"Erf", 9}, {cast_to(x, DType::kInt8)})[0].dtype(), DType::kInt8);
  expect_error(ErrorKind::kUnsupported, "int32", [&] { run_op({"Exp", 13}, {x}); });
}

}  // namespace
}  // namespace linnet::testing
