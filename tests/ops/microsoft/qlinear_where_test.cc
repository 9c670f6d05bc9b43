#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::qlinear_where {
namespace {

const Tensor kX = Tensor::of<uint8_t>({2, 2}, {10, 20, 30, 250}), kY = Tensor::of<uint8_t>({100, 200});
const Tensor kOne = Tensor::scalar(1.0f), kQuarter = Tensor::scalar(0.25f), kZero = Tensor::scalar(uint8_t{10});

TEST(QLinearWhere, ChoosesElements) {
  Tensor condition(DType::kBool, {2, 1});
  condition.data<bool>()[0] = true;
  condition.data<bool>()[1] = false;
  // The result is 0, 10 from X and (90, 190) / 4 from Y, in units of 0.5 from zero point 10 on.
  expect_close(run_expanded("QLinearWhere", {},
                            {condition, kX, kOne, kZero, kY, kQuarter, kZero, Tensor::scalar(0.5f), kZero})[0],
               Tensor::of<uint8_t>({2, 2}, {10, 30, 55, 105}));
}

TEST(QLinearWhere, RefusesOtherConditionsAndTypes) {
  const OpCase op{"QLinearWhere", 1, {}, "com.microsoft"};
  expect_error(ErrorKind::kType, "condition", [&] { run_op(op, {kX, kX, kOne, kZero, kY, kOne, kZero, kOne, kZero}); });
  expect_error(ErrorKind::kType, "X and Y", [&] {
    run_op(op, {Tensor(DType::kBool, {2, 2}), kX, kOne, kZero, scattered<int8_t>({2}), kOne, Tensor::scalar(int8_t{1}),
                kOne, kZero});
  });
}

}  // namespace
}  // namespace linnet::testing::qlinear_where
