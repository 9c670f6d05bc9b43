#include <gtest/gtest.h>

#include "support/run_expanded.h"

// Tests experimental operators of ONNX.
namespace linnet::testing::experimental {
namespace {

const Tensor kX = random_tensor({2, 3, 4, 5}, 1);

template <class F>
Tensor mapped(F f) {
  Tensor y(DType::kFloat32, kX.shape());
  for (int64_t i = 0; i < y.size(); ++i) y.data<float>()[i] = float(f(double(kX.data<float>()[i]), i));
  return y;
}

TEST(ScaledFunction, ScalesWhatAFunctionGives) {
  const Attributes both{{"alpha", 0.5f}, {"beta", 2.f}};
  expect_close(run_expanded(OpCase{"Scale", 7, {{"scale", 0.25f}}}, {kX})[0],
               mapped([](double x, int64_t) { return x / 4; }));
  expect_close(run_expanded(OpCase{"ParametricSoftplus", 7, both}, {kX})[0],
               mapped([](double x, int64_t) { return 0.5 * std::log1p(std::exp(2 * x)); }), 1e-6, 1e-6);
  expect_close(run_op({"Affine", 7, both}, {kX})[0], mapped([](double x, int64_t) { return 0.5 * x + 2; }), 1e-6, 1e-6);
  expect_close(run_op({"ScaledTanh", 7, both}, {kX})[0],
               mapped([](double x, int64_t) { return 0.5 * std::tanh(2 * x); }), 1e-6, 1e-6);
  expect_close(run_op({"ThresholdedRelu", 7, {{"alpha", 0.5f}}}, {kX})[0],
               mapped([](double x, int64_t) { return x > 0.5 ? x : 0; }));
  expect_error(ErrorKind::kModel, "alpha", [&] { run_op({"ParametricSoftplus", 7}, {kX}); });
}

TEST(EarlyMeanVarianceNormalization, TakesAxesFromItsFlags) {
  for (const bool across : {false, true}) {
    const std::vector<int64_t> axes = across ? std::vector<int64_t>{0, 1, 2, 3} : std::vector<int64_t>{0, 2, 3};
    Attributes attributes{{"across_channels", int64_t{across}}};
    expect_close(run_expanded(OpCase{"MeanVarianceNormalization", 8, attributes}, {kX})[0],
                 run_op({"MeanVarianceNormalization", 13, {{"axes", axes}}}, {kX})[0], 1e-5, 1e-5);
    attributes["normalize_variance"] = int64_t{0};
    const Tensor mean = run_op({"ReduceMean", 13, {{"axes", axes}}}, {kX})[0];
    expect_close(run_expanded(OpCase{"MeanVarianceNormalization", 8, attributes}, {kX})[0],
                 run_op({"Sub", 14}, {kX, mean})[0], 1e-5, 1e-5);
  }
}

Tensor part(int64_t top, int64_t left, int64_t height, int64_t width) {
  return run_op({"Slice", 13}, {kX, Tensor::of<int64_t>({top, left}), Tensor::of<int64_t>({top + height, left + width}),
                                Tensor::of<int64_t>({2, 3})})[0];
}

TEST(Crop, LeavesOutTheBorderOrTakesAWindow) {
  const std::vector<int64_t> border{1, 0, 2, 1};
  expect_close(run_expanded(OpCase{"Crop", 1, {{"border", border}}}, {kX})[0], part(0, 1, 3, 2));
  const Attributes window{{"border", border}, {"scale", std::vector<int64_t>{4, 3}}};
  expect_close(run_expanded(OpCase{"Crop", 1, window}, {kX})[0], part(0, 1, 4, 3));
}

TEST(Crop, RefusesWhatLiesOutside) {
  const auto crop = [](const std::vector<int64_t>& border, const std::vector<int64_t>& scale) {
    Attributes attributes{{"border", border}};
    if (!scale.empty()) attributes["scale"] = scale;
    run_op({"Crop", 1, attributes}, {kX});
  };
  expect_error(ErrorKind::kShape, "image", [&] { crop({2, 0, 3, 0}, {}); });
  expect_error(ErrorKind::kShape, "image", [&] { crop({1, 0, 0, 0}, {4, 5}); });
  expect_error(ErrorKind::kModel, "border must have 4 values", [&] { crop({1, 1}, {}); });
  expect_error(ErrorKind::kModel, "scale must have 2 values", [&] { crop({0, 0, 0, 0}, {1, -1}); });
}

TEST(ImageScaler, ScalesAndAddsABiasForEachChannel) {
  const std::vector<float> bias{1, -2, 0.5f};
  expect_close(run_expanded(OpCase{"ImageScaler", 1, {{"scale", 0.25f}, {"bias", bias}}}, {kX})[0],
               mapped([&](double x, int64_t i) { return x / 4 + double(bias[size_t(i / 20 % 3)]); }), 1e-6, 1e-6);
  expect_error(ErrorKind::kShape, "bias", [&] {
    run_op({"ImageScaler", 1, {{"bias", std::vector<float>{1, 2}}}}, {kX});
  });
}

TEST(DynamicSlice, IsSlice) {
  const Tensor starts = Tensor::of<int32_t>({1, -3}), ends = Tensor::of<int32_t>({4, 1000});
  const Tensor axes = Tensor::of<int32_t>({2, 3});
  expect_close(run_expanded(OpCase{"DynamicSlice", 1}, {kX, starts, ends, axes})[0],
               run_op({"Slice", 13}, {kX, starts, ends, axes})[0]);
  const Tensor flat = kX.reshaped({6, 20});
  expect_close(run_expanded(OpCase{"DynamicSlice", 1}, {flat, starts, ends})[0],
               run_op({"Slice", 13}, {flat, starts, ends})[0]);
}

}  // namespace
}  // namespace linnet::testing::experimental
