#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

TEST(DynamicQuantizeLinear, MapsTheRangeOntoBytes) {
  const auto y = run_op({"DynamicQuantizeLinear", 11}, {Tensor::of<float>({-1, 0, 1, 1.54f, 0.01f})}, 3);
  const float scale = 2.54f / 255;
  expect_close(y[1], Tensor::scalar(scale), 0, 1e-6);
  expect_close(y[2], Tensor::scalar(uint8_t{100}));
  expect_close(y[0], Tensor::of<uint8_t>({0, 100, 200, 255, 101}));
}

TEST(DynamicQuantizeLinear, TheRangeIncludesZero) {
  const auto positive = run_op({"DynamicQuantizeLinear", 11}, {Tensor::of<float>({51, 255})}, 3);
  expect_close(positive[0], Tensor::of<uint8_t>({51, 255}));
  expect_close(positive[2], Tensor::scalar(uint8_t{0}));
  const auto negative = run_op({"DynamicQuantizeLinear", 11}, {Tensor::of<float>({-51, -255})}, 3);
  expect_close(negative[0], Tensor::of<uint8_t>({204, 0}));
  expect_close(negative[2], Tensor::scalar(uint8_t{255}));
  const auto zeros = run_op({"DynamicQuantizeLinear", 11}, {Tensor::of<float>({0, 0})}, 3);
  expect_close(zeros[0], Tensor::of<uint8_t>({0, 0}));
  expect_close(zeros[1], Tensor::scalar(0.0f));
}

}  // namespace
}  // namespace linnet::testing
