#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::quantize_linear_forward {
namespace {

const Tensor kX = random_uniform({2, 6}, -90, 90);

TEST(QuantizeLinearForward, IsThatOfOnnx) {
  const Tensor scales = Tensor::of<float>({2, 3}, {0.5f, 1, 2, 0.25f, 3, 4});
  const Tensor zeros = Tensor::of<int16_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Attributes blocks{{"axis", int64_t{1}}, {"block_size", int64_t{2}}};
  const Tensor y = run_expanded("QuantizeLinear", blocks, {kX, scales, zeros})[0];
  EXPECT_EQ(y.dtype(), DType::kInt16);
  expect_close(y, run_op({"QuantizeLinear", 21, blocks}, {kX, scales, zeros})[0]);
  expect_close(run_expanded("DequantizeLinear", blocks, {y, scales, zeros})[0],
               run_op({"DequantizeLinear", 21, blocks}, {y, scales, zeros})[0]);
}

TEST(QuantizeLinearForward, TheQuotientOfHalvesIsNotRounded) {
  // The quotient is 68.51. As float16 it would be 68.5, which rounds to 68.
  const Tensor x = cast_to(Tensor::of<float>({54.59375f}), DType::kFloat16);
  const Tensor scale = cast_to(Tensor::of<float>({0.796875f}), DType::kFloat16);
  expect_close(run_expanded("QuantizeLinear", {}, {x, scale})[0], Tensor::of<uint8_t>({69}));
}

TEST(QuantizeLinearForward, OnlyWhatIsDividedByMustBePositive) {
  expect_error(ErrorKind::kModel, "y_scale", [] {
    run_op({"QuantizeLinear", 1, {}, "com.microsoft"}, {kX, Tensor::scalar(-1.0f)}, 1, {1});
  });
  expect_close(run_expanded("DequantizeLinear", {}, {Tensor::of<uint8_t>({3}), Tensor::scalar(-0.5f)})[0],
               Tensor::of<float>({-1.5f}));
}

TEST(QuantizeLinearForward, RefusesConstantScalesThatAreNoFloats) {
  Tensor scale(DType::kUint4, Shape{8});
  std::fill_n(static_cast<uint8_t*>(scale.raw()), scale.bytes(), uint8_t{0x11});
  const Tensor x = Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8});
  expect_error(ErrorKind::kType, "y_scale", [&] {
    run_op({"QuantizeLinear", 1, {{"axis", int64_t{0}}}, "com.microsoft"}, {x, scale}, 1, {1});
  });
}

}  // namespace
}  // namespace linnet::testing::quantize_linear_forward
