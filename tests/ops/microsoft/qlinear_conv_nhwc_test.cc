#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::qlinear_conv_nhwc {
namespace {

const Tensor kScale = Tensor::scalar(0.25f), kZero = Tensor::scalar(uint8_t{9}),
             kScales = Tensor::of<float>({0.5f, 0.125f});
const Attributes kAttributes{{"pads", std::vector<int64_t>{1, 1, 1, 1}}, {"strides", std::vector<int64_t>{2, 1}}};

TEST(QLinearConvNhwc, IsThatOfOnnxOnTransposedImages) {
  const Tensor x = scattered<uint8_t>({2, 3, 5, 4}), w = scattered<int8_t>({2, 3, 3, 3}, 59);
  const Tensor bias = Tensor::of<int32_t>({100, -2000});
  std::vector<Tensor> inputs{x,     kScale, kZero, w, kScales, Tensor::of<int8_t>({0, 0}), Tensor::scalar(73.1f),
                             kZero, bias};
  const Tensor want = run_op({"QLinearConv", 10, kAttributes}, inputs)[0];
  expect_close(run_expanded("QLinearConv", kAttributes, inputs)[0], want);

  const Attributes last{{"perm", std::vector<int64_t>{0, 2, 3, 1}}};
  Attributes attributes = kAttributes;
  attributes["channels_last"] = int64_t{1};
  inputs[0] = run_op({"Transpose", 13, last}, {x})[0];
  expect_close(run_expanded("QLinearConv", attributes, inputs)[0], run_op({"Transpose", 13, last}, {want})[0]);
  inputs[5] = Tensor::scalar(int8_t{0});
  expect_close(run_expanded("QLinearConv", attributes, inputs)[0], run_op({"Transpose", 13, last}, {want})[0]);
}

TEST(QLinearConvNhwc, RefusesWhatDoesNotFit) {
  const OpCase op{"QLinearConv", 1, {}, "com.microsoft"};
  const Tensor x = scattered<uint8_t>({1, 2, 4}), w = scattered<int8_t>({2, 2, 1}), w_zero = Tensor::of<int8_t>({0});
  std::vector<Tensor> inputs{x, kScale, kZero, w, kScale, w_zero, kScale, kZero, random_tensor({2})};
  expect_error(ErrorKind::kType, "B", [&] { run_op(op, inputs); });
  inputs[8] = Tensor::of<int32_t>({1, 2});
  inputs[4] = Tensor::of<float>({1, 2, 3});
  expect_error(ErrorKind::kShape, "[3]", [&] { run_op(op, inputs); });
  inputs[4] = kScale;
  inputs[7] = Tensor::scalar(1.0f);
  expect_error(ErrorKind::kType, "y_zero_point", [&] { run_op(op, inputs); });
}

}  // namespace
}  // namespace linnet::testing::qlinear_conv_nhwc
