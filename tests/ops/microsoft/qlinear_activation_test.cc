#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::qlinear_activation {
namespace {

Tensor all_bytes() {
  Tensor x(DType::kUint8, {256});
  for (int64_t i = 0; i < 256; ++i) x.data<uint8_t>()[i] = uint8_t(i);
  return x;
}

const Tensor kScale = Tensor::scalar(0.0625f), kZero = Tensor::scalar(uint8_t{128});

TEST(QLinearSigmoid, IsTheSigmoidOfEveryByte) {
  Tensor want(DType::kUint8, {256});
  for (int i = 0; i < 256; ++i) {
    want.data<uint8_t>()[i] = rounded_to<uint8_t>(1 / (1 + std::exp((128 - i) / 16.0)), 0.00390625, 0);
  }
  expect_close(run_expanded("QLinearSigmoid", {}, {all_bytes(), kScale, kZero, Tensor::scalar(0.00390625f)})[0], want);
}

TEST(QLinearLeakyRelu, ScalesWhatIsNegative) {
  for (const float alpha : {0.25f, 0.01f}) {
    Tensor want(DType::kUint8, {256});
    for (int i = 0; i < 256; ++i) {
      const double x = (i - 128) / 16.0;
      want.data<uint8_t>()[i] = rounded_to<uint8_t>(x < 0 ? x * alpha : x, 0.0721f, 10);
    }
    const Attributes attributes = alpha == 0.01f ? Attributes{} : Attributes{{"alpha", alpha}};
    const Tensor scale = Tensor::scalar(0.0721f), zero = Tensor::scalar(uint8_t{10});
    expect_close(run_expanded("QLinearLeakyRelu", attributes, {all_bytes(), kScale, kZero, scale, zero})[0], want);
  }
}

TEST(QLinearActivation, RefusesZeroPointsOfAnotherType) {
  for (const char* op : {"QLinearSigmoid", "QLinearLeakyRelu"}) {
    expect_error(ErrorKind::kType, "Y_zero_point", [&] {
      run_op({op, 1, {}, "com.microsoft"}, {all_bytes(), kScale, kZero, kScale, Tensor::scalar(int8_t{0})});
    });
    expect_error(ErrorKind::kModel, "Y_scale", [&] {
      run_op({op, 1, {}, "com.microsoft"}, {all_bytes(), kScale, kZero});
    });
  }
}

}  // namespace
}  // namespace linnet::testing::qlinear_activation
