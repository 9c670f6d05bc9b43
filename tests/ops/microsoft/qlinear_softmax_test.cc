#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::qlinear_softmax {
namespace {

const Tensor kX = scattered<uint8_t>({2, 3, 4}), kScale = Tensor::scalar(0.03f), kZero = Tensor::scalar(uint8_t{4});
const Tensor kYScale = Tensor::scalar(0.0079f), kYZero = Tensor::scalar(uint8_t{2});

/// Computes the softmax over groups of `count` elements at a distance of `stride`.
Tensor softmax(int64_t count, int64_t stride) {
  Tensor want(DType::kUint8, {2, 3, 4});
  const auto power = [](int64_t i) { return std::exp(double(0.03f) * kX.data<uint8_t>()[i]); };
  for (int64_t i = 0; i < 24; ++i) {
    const int64_t first = i / (count * stride) * (count * stride) + i % stride;
    double sum = 0;
    for (int64_t j = 0; j < count; ++j) sum += power(first + j * stride);
    want.data<uint8_t>()[i] = rounded_to<uint8_t>(power(i) / sum, 0.0079f, 2);
  }
  return want;
}

Tensor run(int64_t opset, int64_t axis) {
  return run_expanded("QLinearSoftmax", {{"opset", opset}, {"axis", axis}}, {kX, kScale, kZero, kYScale, kYZero})[0];
}

TEST(QLinearSoftmax, RunsAlongOneAxisFromOpset13On) {
  expect_close(run(13, -1), softmax(4, 1));
  expect_close(run(13, 1), softmax(3, 4));
  expect_close(run_expanded("QLinearSoftmax", {{"opset", int64_t{13}}}, {kX, kScale, kZero, kYScale, kYZero})[0],
               softmax(4, 1));
}

TEST(QLinearSoftmax, RunsOverAllDimsFromTheAxisOnBefore) {
  expect_close(run(12, 1), softmax(12, 1));
  expect_close(run(11, -1), softmax(4, 1));
}

TEST(QLinearSoftmax, RefusesNodesWithoutOpsetOrZeroPoint) {
  const OpCase op{"QLinearSoftmax", 1, {}, "com.microsoft"}, newest{op.op_type, 1, {{"opset", int64_t{13}}}, op.domain};
  expect_error(ErrorKind::kModel, "opset", [&] { run_op(op, {kX, kScale, kZero, kYScale, kYZero}); });
  expect_error(ErrorKind::kModel, "y_zero_point", [&] { run_op(newest, {kX, kScale, kZero, kYScale}); });
}

}  // namespace
}  // namespace linnet::testing::qlinear_softmax
