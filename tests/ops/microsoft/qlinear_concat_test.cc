#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::qlinear_concat {
namespace {

const Tensor kOne = Tensor::scalar(1.0f), kZero = Tensor::scalar(uint8_t{10});

TEST(QLinearConcat, PutsTensorsOfAnyScaleBehindEachOther) {
  const Tensor a = Tensor::of<uint8_t>({2, 1}, {10, 12}), b = Tensor::of<uint8_t>({2, 2}, {0, 2, 40, 250});
  const std::vector<Tensor> inputs{Tensor::scalar(0.5f),      kZero, a, kOne, kZero, b, Tensor::scalar(0.25f),
                                   Tensor::scalar(uint8_t{0})};
  expect_close(run_expanded("QLinearConcat", {{"axis", int64_t{-1}}}, inputs)[0],
               Tensor::of<uint8_t>({2, 3}, {10, 10, 11, 14, 30, 135}));
}

TEST(QLinearConcat, RefusesIncompleteTensors) {
  const OpCase op{"QLinearConcat", 1, {{"axis", int64_t{0}}}, "com.microsoft"};
  const Tensor x = scattered<uint8_t>({2});
  expect_error(ErrorKind::kModel, "3 for each", [&] { run_op(op, {kOne, kZero, x, kOne}); });
  expect_error(ErrorKind::kModel, "tensor 0_zero_point", [&] { run_op(op, {kOne, kZero, x, kOne, Tensor()}); });
  expect_error(ErrorKind::kType, "tensor 1", [&] {
    run_op(op, {kOne, kZero, x, kOne, kZero, scattered<int8_t>({2}), kOne, Tensor::scalar(int8_t{0})});
  });
  expect_error(ErrorKind::kModel, "axis", [&] {
    run_op({"QLinearConcat", 1, {}, "com.microsoft"}, {kOne, kZero, x, kOne, kZero});
  });
}

}  // namespace
}  // namespace linnet::testing::qlinear_concat
