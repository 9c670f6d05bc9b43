#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/byte_conv_cases.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

template <class T>
Tensor floats_of_bytes(const Shape& shape, int step) {
  Tensor tensor(DType::kFloat32, shape);
  for (int64_t i = 0; i < shape.elements(); ++i) tensor.data<float>()[i] = float(T(uint8_t(i * step % 251)));
  return tensor;
}

Tensor less(const Tensor& tensor, float zero) {
  Tensor result = tensor.clone();
  for (int64_t i = 0; i < result.size(); ++i) result.data<float>()[i] -= zero;
  return result;
}

uint8_t quantized(double value, double zero) { return uint8_t(std::clamp(std::nearbyint(value) + zero, 0.0, 255.0)); }

/// A convolution of bytes with scales that are powers of two, so that every step but the last is exact.
struct QuantizedConvCase {
  /// Weights are at most `most` in magnitude.
  explicit QuantizedConvCase(const ByteConvCase& sizes, float most = 128)
      : c(sizes), x(floats_of_bytes<uint8_t>(c.x, 97)), w(floats_of_bytes<int8_t>(c.w, 89)) {
    for (int64_t i = 0; i < w.size(); ++i) {
      w.data<float>()[i] = std::clamp(w.data<float>()[i], -most, most);
    }
    std::vector<float> scale;
    for (int64_t i = 0; i < c.w[0]; ++i) {
      scale.push_back(std::ldexp(1.0f, int(-9 - i % 3)));
      bias.push_back(int32_t(i - 2) * 1000);
    }
    w_scale = Tensor::of(scale);
    Tensor b = Tensor::of(bias);
    sums = to_channels_last(conv_reference(less(x, 99), w, cast_to(b, DType::kFloat32), c.settings));
    inputs = {cast_to(to_channels_last(x), DType::kUint8),
              Tensor::scalar(0.5f),
              Tensor::scalar(uint8_t{99}),
              cast_to(w, DType::kInt8),
              w_scale,
              Tensor(),
              Tensor(),
              b};
  }

  Attributes attributes(const char* activation = nullptr) const {
    Attributes all = conv_attributes(c.settings);
    if (activation) all["activation"] = std::string(activation);
    return all;
  }
  double real(int64_t i) const {
    return double(sums.data<float>()[i]) * 0.5 * double(w_scale.data<float>()[i % c.w[0]]);
  }
  Tensor run(const std::vector<int>& constants, Isa isa, const char* activation = nullptr) const {
    return run_op({"QLinearConv", 1, attributes(activation), "linnet"}, inputs, 1, constants, isa)[0];
  }

  const ByteConvCase& c;
  Tensor x, w, w_scale, sums;
  std::vector<int32_t> bias;
  std::vector<Tensor> inputs;
};

class QuantizedConv : public ::testing::TestWithParam<Isa> {};

TEST_P(QuantizedConv, GivesTheExactFloats) {
  for (const ByteConvCase& sizes : byte_conv_cases()) {
    const QuantizedConvCase c(sizes);
    for (const std::vector<int>& constants : {std::vector<int>{}, {3}}) {
      const Tensor y = c.run(constants, GetParam());
      ASSERT_EQ(y.shape(), c.sums.shape());
      for (int64_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data<float>()[i], float(c.real(i))) << i;
    }
  }
}

/// Tests the greatest weights for which two products are added in 16 bits, and weights that exceed them by one.
TEST_P(QuantizedConv, GivesTheExactFloatsOfNarrowWeights) {
  for (const ByteConvCase& sizes : byte_conv_cases()) {
    for (const float most : {64.0f, 65.0f}) {
      QuantizedConvCase c(sizes, most);
      c.x = Tensor(DType::kFloat32, c.x.shape());
      std::fill_n(c.x.data<float>(), c.x.size(), 255.0f);
      c.inputs[0] = cast_to(to_channels_last(c.x), DType::kUint8);
      c.sums =
          to_channels_last(conv_reference(less(c.x, 99), c.w, cast_to(c.inputs[7], DType::kFloat32), sizes.settings));
      const Tensor y = c.run({3}, GetParam());
      for (int64_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data<float>()[i], float(c.real(i))) << i;
    }
  }
}

TEST_P(QuantizedConv, RoundsToBytesTiesToEven) {
  for (const ByteConvCase& sizes : byte_conv_cases()) {
    QuantizedConvCase c(sizes);
    c.inputs[5] = Tensor::scalar(0.25f);
    c.inputs[6] = Tensor::scalar(uint8_t{100});
    const Tensor y = c.run({3}, GetParam()), positive = c.run({3}, GetParam(), "Relu");
    for (int64_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y.data<uint8_t>()[i], quantized(c.real(i) / 0.25, 100)) << i;
      ASSERT_EQ(positive.data<uint8_t>()[i], quantized(std::max(0.0, c.real(i)) / 0.25, 100)) << i;
    }
  }
}

TEST_P(QuantizedConv, AddsAResidualToWhatItsOwnGridHolds) {
  for (const ByteConvCase& sizes : byte_conv_cases()) {
    QuantizedConvCase c(sizes);
    c.inputs[5] = Tensor::scalar(0.25f);
    c.inputs[6] = Tensor::scalar(uint8_t{90});
    const Tensor residual = cast_to(floats_of_bytes<uint8_t>(c.sums.shape(), 53), DType::kUint8);
    c.inputs.insert(c.inputs.end(), {residual, Tensor::scalar(0.125f), Tensor::scalar(uint8_t{120})});
    const Tensor plain = c.run({3}, GetParam());
    c.inputs.insert(c.inputs.end(), {Tensor::scalar(0.5f), Tensor::scalar(uint8_t{60})});
    const Tensor rounded = c.run({3}, GetParam(), "Relu");
    for (int64_t i = 0; i < plain.size(); ++i) {
      const double r = (residual.data<uint8_t>()[i] - 120) * 0.125;
      ASSERT_EQ(plain.data<uint8_t>()[i], quantized((c.real(i) + r) / 0.25, 90)) << i;
      const double grid = (quantized(c.real(i) / 0.5, 60) - 60) * 0.5;
      ASSERT_EQ(rounded.data<uint8_t>()[i], quantized(std::max(0.0, grid + r) / 0.25, 90)) << i;
    }
  }
}

TEST_P(QuantizedConv, TakesAFloatBias) {
  for (const ByteConvCase& sizes : byte_conv_cases()) {
    QuantizedConvCase c(sizes);
    const Tensor whole = c.run({3}, GetParam());
    std::vector<float> bias;
    for (size_t j = 0; j < c.bias.size(); ++j) bias.push_back(float(c.bias[j]) * 0.5f * c.w_scale.data<float>()[j]);
    c.inputs[7] = Tensor::of(bias);
    expect_close(c.run({3}, GetParam()), whole);
  }
}

TEST_P(QuantizedConv, SubtractsZeroPointsOfWeights) {
  for (const ByteConvCase& sizes : byte_conv_cases()) {
    if (sizes.settings.group != 1) continue;
    QuantizedConvCase c(sizes);
    const int64_t channels = sizes.w[0], row = c.w.size() / channels;
    Tensor zero(DType::kInt8, {channels}), w = c.w.clone();
    for (int64_t i = 0; i < w.size(); ++i) {
      zero.data<int8_t>()[i / row] = int8_t(i / row * 41 % 251 - 125);
      w.data<float>()[i] -= float(zero.data<int8_t>()[i / row]);
    }
    c.sums = to_channels_last(
        conv_reference(less(c.x, 99), w, cast_to(Tensor::of(c.bias), DType::kFloat32), sizes.settings));
    c.inputs.resize(14);
    c.inputs[13] = zero;
    for (const std::vector<int>& constants : {std::vector<int>{}, {3}}) {
      const Tensor y = c.run(constants, GetParam());
      for (int64_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data<float>()[i], float(c.real(i))) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, QuantizedConv, ::testing::ValuesIn(supported_byte_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

TEST(QuantizedConvErrors, NameTheInput) {
  QuantizedConvCase c(byte_conv_cases()[0]);
  const auto with = [&](size_t input, const Tensor& value) {
    std::vector<Tensor> inputs = c.inputs;
    inputs[input] = value;
    run_op({"QLinearConv", 1, c.attributes(), "linnet"}, inputs);
  };
  expect_error(ErrorKind::kType, "x ", [&] { with(0, c.x); });
  expect_error(ErrorKind::kShape, "x_scale", [&] { with(1, Tensor::of<float>({1, 2})); });
  expect_error(ErrorKind::kType, "w ", [&] { with(3, c.w); });
  expect_error(ErrorKind::kShape, "w_scale", [&] { with(4, Tensor::of<float>({1, 2})); });
  expect_error(ErrorKind::kModel, "y_scale and y_zero", [&] { with(5, Tensor::scalar(1.0f)); });
  c.inputs.resize(14);
  expect_error(ErrorKind::kShape, "length of w_zero", [&] { with(13, Tensor::of<int8_t>({1, 2})); });
  expect_error(ErrorKind::kShape, "length of B", [&] { with(7, Tensor::of<int32_t>({1, 2})); });
}

}  // namespace
}  // namespace linnet::testing
