#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/byte_conv_cases.h"
#include "support/run_expanded.h"

namespace linnet::testing {
namespace {

template <class T>
Tensor bytes(const Shape& shape, int step) {
  std::vector<T> values;
  for (int64_t i = 0; i < shape.elements(); ++i) values.push_back(T(uint8_t(i * step % 251)));
  return Tensor::of(shape, values);
}

/// Returns the differences from a zero point as float32. Several zero points apply to the indices of axis 0.
Tensor shifted(const Tensor& tensor, const std::vector<int>& zeros) {
  Tensor result = cast_to(tensor, DType::kFloat32);
  const int64_t inner = tensor.shape().elements(1, tensor.rank());
  for (int64_t i = 0; i < result.size(); ++i) {
    result.data<float>()[i] -= float(zeros[zeros.size() == 1 ? 0 : size_t(i / inner)]);
  }
  return result;
}

TEST(ConvInteger, IsTheConvolutionOfTheDifferences) {
  const Tensor x = bytes<uint8_t>({2, 4, 7, 6}, 37), w = bytes<int8_t>({6, 2, 3, 2}, 91);
  const Tensor x_zero = Tensor::scalar(uint8_t{130}), w_zero = Tensor::of<int8_t>({0, 1, -2, 3, 127, -128});
  const Tensor no_bias = cast_to(bytes<uint8_t>({6}, 0), DType::kFloat32);
  for (const ConvSettings& s :
       {ConvSettings{{1, 1}, {0, 0, 0, 0}, {1, 1}, 2}, ConvSettings{{2, 1}, {1, 0, 2, 1}, {2, 1}, 2}}) {
    const Tensor want = conv_reference(shifted(x, {130}), shifted(w, {0, 1, -2, 3, 127, -128}), no_bias, s);
    const OpCase op{"ConvInteger", 10, conv_attributes(s)};
    expect_close(run_op(op, {x, w, x_zero, w_zero})[0], cast_to(want, DType::kInt32));
    expect_close(run_op(op, {x, w, x_zero, w_zero}, 1, {1}, Isa::kAuto, 1)[0], cast_to(want, DType::kInt32));
    const Tensor plain = conv_reference(shifted(x, {0}), shifted(w, {0}), no_bias, s);
    expect_close(run_op(op, {x, w})[0], cast_to(plain, DType::kInt32));
  }
}

template <class X, class W>
void expect_differences(const ByteConvCase& c, int x_zero, Isa isa) {
  const Tensor x = bytes<X>(c.x, 97), w = bytes<W>(c.w, 89);
  std::vector<W> zeros;
  for (int64_t i = 0; i < c.w[0]; ++i) zeros.push_back(W(std::array{0, 128, 255, 127}[size_t(i % 4)]));
  const Tensor want =
      conv_reference(shifted(x, {x_zero}), shifted(w, std::vector<int>(zeros.begin(), zeros.end())), {}, c.settings);
  for (const std::vector<int>& constants : {std::vector<int>{}, {1}, {1, 3}}) {
    const Tensor y = run_op({"ConvInteger", 10, conv_attributes(c.settings)},
                            {x, w, Tensor::scalar(X(x_zero)), Tensor::of(zeros)}, 1, constants, isa)[0];
    expect_close(y, cast_to(want, DType::kInt32));
  }
}

TEST(ConvInteger, IsExactForExtremesOfAllSizesAndInstructionSets) {
  for (const Isa isa : supported_isas()) {
    for (const ByteConvCase& c : byte_conv_cases()) {
      expect_differences<uint8_t, int8_t>(c, 255, isa);
      expect_differences<uint8_t, uint8_t>(c, 0, isa);
      expect_differences<int8_t, int8_t>(c, -128, isa);
      expect_differences<int8_t, uint8_t>(c, 127, isa);
    }
  }
}

TEST(ConvInteger, TakesOneAndThreeSpatialAxes) {
  const Tensor x = Tensor::of<uint8_t>({1, 1, 4}, {1, 2, 3, 4}), w = Tensor::of<uint8_t>({1, 1, 2}, {1, 10});
  expect_close(run_op({"ConvInteger", 10}, {x, w})[0], Tensor::of<int32_t>({1, 1, 3}, {21, 32, 43}));
  const Tensor cube = Tensor::of<int8_t>({1, 1, 2, 1, 2}, {1, 2, 3, 4}),
               taps = Tensor::of<int8_t>({1, 1, 2, 1, 1}, {1, -1});
  expect_close(run_op({"ConvInteger", 10}, {cube, taps})[0], Tensor::of<int32_t>({1, 1, 1, 1, 2}, {-2, -2}));
}

TEST(ConvInteger, ChecksZeroPoints) {
  const Tensor x = bytes<uint8_t>({1, 1, 4}, 1), w = bytes<uint8_t>({2, 1, 2}, 1);
  const Tensor two = Tensor::of<uint8_t>({1, 2}), three = Tensor::of<uint8_t>({1, 2, 3}),
               wrong = Tensor::scalar(int8_t{0});
  const OpCase op{"ConvInteger", 10};
  expect_error(ErrorKind::kShape, "x_zero_point", [&] { run_op(op, {x, w, two}); });
  expect_error(ErrorKind::kShape, "w_zero_point", [&] { run_op(op, {x, w, Tensor(), three}); });
  expect_error(ErrorKind::kType, "x_zero_point", [&] { run_op(op, {x, w, wrong}); });
  expect_error(ErrorKind::kType, "x must", [&] { run_op(op, {random_tensor({1, 1, 4}), w}); });
}

TEST(QLinearConv, RequantizesPerChannel) {
  const Tensor x = bytes<uint8_t>({1, 3, 5, 5}, 37), w = bytes<int8_t>({4, 3, 3, 3}, 91);
  const Tensor w_scale = random_uniform({4}, 0.001f, 0.01f, 1), w_zero = Tensor::of<int8_t>({0, 5, -5, 7});
  const Tensor bias = Tensor::of<int32_t>({-9000, 0, 500, 12345});
  const ConvSettings s{{2, 2}, {1, 1, 1, 1}, {1, 1}, 1};
  const Tensor y = run_expanded({"QLinearConv", 10, conv_attributes(s)},
                                {x, Tensor::scalar(0.05f), Tensor::scalar(uint8_t{99}), w, w_scale, w_zero,
                                 Tensor::scalar(0.5f), Tensor::scalar(uint8_t{100}), bias})[0];
  const Tensor sums = conv_reference(shifted(x, {99}), shifted(w, {0, 5, -5, 7}), cast_to(bias, DType::kFloat32), s);
  ASSERT_EQ(y.shape(), sums.shape());
  for (int64_t i = 0; i < y.size(); ++i) {
    const double real = double(sums.data<float>()[i]) * 0.05 * double(w_scale.data<float>()[i / 9]);
    EXPECT_NEAR(double(y.data<uint8_t>()[i]), std::fmin(255, std::fmax(0, real / 0.5 + 100)), 0.501);
  }
}

TEST(QLinearConv, RoundsTheExactSumAndItsBias) {
  for (const ByteConvCase& c : byte_conv_cases()) {
    const Tensor x = bytes<int8_t>(c.x, 97), w = bytes<uint8_t>(c.w, 89), x_zero = Tensor::scalar(int8_t{-128});
    const Tensor w_zero = bytes<uint8_t>({c.w[0]}, 113), w_scale = random_uniform({c.w[0]}, 0.001f, 0.01f, 1);
    std::vector<int32_t> bias{2147483647, -2147483647};
    for (int64_t i = 2; i < c.w[0]; ++i) bias.push_back(int32_t(i) * 1000);
    const Tensor x_scale = Tensor::scalar(0.05f), y_scale = Tensor::scalar(0.7f), y_zero = Tensor::scalar(int8_t{-11});
    const Tensor sums = run_op({"ConvInteger", 10, conv_attributes(c.settings)}, {x, w, x_zero, w_zero})[0];
    const OpCase op{"QLinearConv", 10, conv_attributes(c.settings)};
    const std::vector<Tensor> inputs{x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, Tensor::of(bias)};
    const Tensor y = run_op(op, inputs, 1, {3, 5})[0];
    expect_close(run_expanded(op, inputs)[0], y);
    ASSERT_EQ(y.shape(), sums.shape());
    for (int64_t i = 0; i < y.size(); ++i) {
      const auto channel = size_t(i / y.shape().elements(2, 4) % c.w[0]);
      const auto sum = int32_t(uint32_t(sums.data<int32_t>()[i]) + uint32_t(bias[channel]));
      const double value = double(sum) * double(0.05f * w_scale.data<float>()[channel] / 0.7f);
      const double want = std::fmin(127, std::fmax(-128, std::nearbyint(value) - 11));
      ASSERT_EQ(double(y.data<int8_t>()[i]), want) << "at " << i;
    }
  }
}

TEST(QLinearConv, RoundsSumsThatFloatsDoNotHold) {
  const Tensor x = Tensor::of<uint8_t>({1, 1, 1}, {3}), x_zero = Tensor::scalar(uint8_t{3});
  const Tensor w = Tensor::of<int8_t>({2, 1, 1}, {1, 1}), w_zero = Tensor::scalar(int8_t{0});
  const Tensor scale = Tensor::scalar(0x1p-13f), y_scale = Tensor::scalar(1.0f), y_zero = Tensor::scalar(int8_t{7});
  const Tensor bias = Tensor::of<int32_t>({2}, {(1 << 25) + 1, -(1 << 25) - 1});  // A half, and slightly more.
  const Tensor y = run_expanded({"QLinearConv", 10}, {x, scale, x_zero, w, scale, w_zero, y_scale, y_zero, bias})[0];
  expect_close(y, Tensor::of<int8_t>({1, 2, 1}, {8, 6}));
}

TEST(QLinearConv, ChecksScalesAndBias) {
  const Tensor x = bytes<uint8_t>({1, 1, 4}, 1), w = bytes<uint8_t>({2, 1, 2}, 1);
  const Tensor one = Tensor::scalar(1.0f), zero = Tensor::scalar(uint8_t{0}), three = Tensor::of<float>({1, 2, 3});
  const OpCase op{"QLinearConv", 10};
  expect_error(ErrorKind::kShape, "w_scale", [&] { run_op(op, {x, one, zero, w, three, zero, one, zero}); });
  expect_error(ErrorKind::kShape, "x_scale", [&] { run_op(op, {x, three, zero, w, one, zero, one, zero}); });
  expect_error(ErrorKind::kType, "y_zero_point", [&] { run_op(op, {x, one, zero, w, one, zero, one, one}); });
  expect_error(ErrorKind::kShape, "B", [&] {
    run_op(op, {x, one, zero, w, one, zero, one, zero, Tensor::of<int32_t>({1, 2, 3})});
  });
}

}  // namespace
}  // namespace linnet::testing
