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
}

TEST(DynamicQuantizeLinear, TheScaleOfZerosIsOne) {
  // In the last case, the range divided by 255 is 0 in float32.
  for (const Tensor& x : {Tensor::of<float>({0, 0}), Tensor::of<float>({-0.0f, 0}), Tensor(DType::kFloat32, {0}),
                          Tensor::of<float>({0, 0x1p-149f})}) {
    const auto y = run_op({"DynamicQuantizeLinear", 11}, {x}, 3);
    EXPECT_EQ(*y[1].data<float>(), 1) << x.shape();
    EXPECT_EQ(*y[2].data<uint8_t>(), 0);
    for (const uint8_t value : y[0].values<uint8_t>()) EXPECT_EQ(value, 0);
  }
}

TEST(DynamicQuantizeLinear, FindsTheRangeOfLargeTensorsOnAnyThreads) {
  Tensor x = random_uniform({3, 100003}, -1, 1);
  const int64_t size = x.size();
  for (const int64_t at : {int64_t{0}, int64_t{65537}, size - 1}) {
    const Tensor before = x.clone();
    x.data<float>()[at] = 5;
    x.data<float>()[size - 1 - at] = -3;
    const auto y = run_op({"DynamicQuantizeLinear", 11}, {x}, 3);
    EXPECT_EQ(*y[1].data<float>(), 8.0f / 255);
    EXPECT_EQ(*y[2].data<uint8_t>(), 96);
    const auto want = run_op({"QuantizeLinear", 13}, {x, y[1], y[2]});
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(identical(run_op({"DynamicQuantizeLinear", 11}, {x}, 1, {}, Isa::kAuto, threads)[0], want[0]));
    }
    x = before;
  }
}

}  // namespace
}  // namespace linnet::testing
