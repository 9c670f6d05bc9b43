#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::early_layer_normalization {
namespace {

const Shape kShape{2, 3, 4};
const Tensor kX = random_tensor(kShape, 1), kScale = random_tensor({3, 4}, 2), kBias = random_tensor({3, 4}, 3);
const Attributes kAttributes{{"axis", int64_t{1}}, {"epsilon", 0.01f}};

/// Returns Y, Mean and InvStdDev over the last two dims.
std::vector<Tensor> expected(bool centered, const Tensor& bias) {
  std::vector<Tensor> y{Tensor(DType::kFloat32, kShape), Tensor(DType::kFloat32, {2, 1, 1}),
                        Tensor(DType::kFloat32, {2, 1, 1})};
  for (int64_t row = 0; row < 2; ++row) {
    const float* x = kX.data<float>() + row * 12;
    double mean = 0, square = 0;
    for (int64_t i = 0; centered && i < 12; ++i) mean += double(x[i]) / 12;
    for (int64_t i = 0; i < 12; ++i) square += (double(x[i]) - mean) * (double(x[i]) - mean) / 12;
    const double factor = 1 / std::sqrt(square + 0.01);
    for (int64_t i = 0; i < 12; ++i) {
      const double scaled = (double(x[i]) - mean) * factor * double(kScale.data<float>()[i]);
      y[0].data<float>()[row * 12 + i] = float(scaled + (bias ? double(bias.data<float>()[i]) : 0));
    }
    y[1].data<float>()[row] = float(mean);
    y[2].data<float>()[row] = float(factor);
  }
  return y;
}

TEST(EarlyLayerNormalization, IsThatOfOpset17) {
  for (const int64_t opset : {1, 9, 16}) {
    for (const Tensor& bias : {kBias, Tensor()}) {
      const auto y = run_expanded(OpCase{"LayerNormalization", opset, kAttributes}, {kX, kScale, bias}, 3);
      for (size_t i = 0; i < 3; ++i) expect_close(y[i], expected(true, bias)[i], 1e-5, 1e-5);
    }
  }
}

TEST(EarlyLayerNormalization, SimplifiedIsOfBothDomainsAndEveryOpset) {
  const auto want = expected(false, Tensor());
  const OpCase cases[] = {{"SimplifiedLayerNormalization", 1, kAttributes},
                          {"SimplifiedLayerNormalization", 21, kAttributes},
                          {"SimplifiedLayerNormalization", 1, kAttributes, "com.microsoft"}};
  for (const OpCase& op : cases) {
    const auto y = run_expanded(op, {kX, kScale}, 2);
    expect_close(y[0], want[0], 1e-5, 1e-5);
    expect_close(y[1], want[2], 1e-5, 1e-5);
  }
}

TEST(EarlyLayerNormalization, YIsOfTheDtypeOfScale) {
  const auto y =
      run_expanded(OpCase{"SimplifiedLayerNormalization", 14, kAttributes}, {kX, cast_to(kScale, DType::kFloat16)})[0];
  EXPECT_EQ(y.dtype(), DType::kFloat16);
  expect_close(cast_to(y, DType::kFloat32), expected(false, Tensor())[0], 2e-3, 2e-3);
}

TEST(EarlyLayerNormalization, StatisticsAreOfStashType) {
  Attributes attributes = kAttributes;
  attributes["stash_type"] = int64_t(DType::kFloat64);
  const auto y = run_expanded(OpCase{"LayerNormalization", 12, attributes}, {kX, kScale}, 3);
  EXPECT_EQ(y[1].dtype(), DType::kFloat64);
  expect_close(cast_to(y[2], DType::kFloat32), expected(true, Tensor())[2], 1e-6, 1e-6);
  attributes["stash_type"] = int64_t(DType::kInt32);
  expect_error(ErrorKind::kModel, "stash_type", [&] { run_op({"LayerNormalization", 12, attributes}, {kX, kScale}); });
}

TEST(EarlyLayerNormalization, RefusesIntegers) {
  const Tensor whole = Tensor::of<int64_t>({1, 2});
  expect_error(ErrorKind::kType, "X", [&] { run_op({"LayerNormalization", 7}, {whole, kScale}); });
  expect_error(ErrorKind::kType, "Scale", [&] { run_op({"SimplifiedLayerNormalization", 7}, {kX, whole}); });
}

TEST(EarlyLayerNormalization, RefusesAnAxisBeyondTheRank) {
  for (const int64_t axis : {INT64_MIN, int64_t{-4}, int64_t{3}}) {
    for (const char* op_type : {"LayerNormalization", "SimplifiedLayerNormalization"}) {
      expect_error(ErrorKind::kShape, "axis", [&] { run_op({op_type, 12, {{"axis", axis}}}, {kX, kScale}); });
    }
  }
}

}  // namespace
}  // namespace linnet::testing::early_layer_normalization
