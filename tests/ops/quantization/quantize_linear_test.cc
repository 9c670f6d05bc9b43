#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linnet/half.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

TEST(QuantizeLinear, RoundsTiesToEvenAndSaturates) {
  const Tensor x = Tensor::of<float>({0, 1, 3, 5, -5, 1000, -1000, INFINITY, -INFINITY, NAN});
  const Tensor scale = Tensor::scalar(2.0f);
  expect_close(run_op({"QuantizeLinear", 13}, {x, scale, Tensor::scalar(uint8_t{128})})[0],
               Tensor::of<uint8_t>({128, 128, 130, 130, 126, 255, 0, 255, 0, 0}));
  expect_close(run_op({"QuantizeLinear", 13}, {x, scale, Tensor::scalar(int8_t{-1})})[0],
               Tensor::of<int8_t>({-1, -1, 1, 1, -3, 127, -128, 127, -128, -128}));
  expect_close(run_op({"QuantizeLinear", 10}, {Tensor::of<float>({6, 700}), scale})[0], Tensor::of<uint8_t>({3, 255}));
  expect_close(run_op({"QuantizeLinear", 21, {{"output_dtype", int64_t(DType::kInt16)}}}, {x, Tensor::scalar(0.5f)})[0],
               Tensor::of<int16_t>({0, 2, 6, 10, -10, 2000, -2000, 32767, -32768, -32768}));
}

TEST(QuantizeLinear, TakesAScalePerIndexOfAnAxis) {
  const Tensor x = Tensor::of<float>({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Tensor scale = Tensor::of<float>({1, 2}), zero = Tensor::of<uint8_t>({0, 100});
  expect_close(run_op({"QuantizeLinear", 13}, {x, scale, zero})[0],
               Tensor::of<uint8_t>({2, 2, 3}, {1, 2, 3, 102, 102, 103, 7, 8, 9, 105, 106, 106}));
  const Tensor last = Tensor::of<float>({1, 2, 4});
  expect_close(run_op({"QuantizeLinear", 13, {{"axis", int64_t{-1}}}}, {x, last})[0],
               Tensor::of<uint8_t>({2, 2, 3}, {1, 1, 1, 4, 2, 2, 7, 4, 2, 10, 6, 3}));
}

TEST(QuantizeLinear, ChecksScaleAndZeroPoint) {
  const Tensor x = random_tensor({2, 3});
  expect_error(ErrorKind::kShape, "[2]", [&] { run_op({"QuantizeLinear", 13}, {x, Tensor::of<float>({1, 2})}); });
  expect_error(ErrorKind::kShape, "zero point", [&] {
    run_op({"QuantizeLinear", 13}, {x, Tensor::of<float>({1, 2, 3}), Tensor::of<uint8_t>({1, 2})});
  });
  expect_error(ErrorKind::kType, "output_dtype", [&] {
    run_op({"QuantizeLinear", 21, {{"output_dtype", int64_t(DType::kInt8)}}},
           {x, Tensor::scalar(1.0f), Tensor::scalar(uint8_t{0})});
  });
}

TEST(DequantizeLinear, SubtractsAndScales) {
  const Tensor scale = Tensor::scalar(0.5f);
  expect_close(
      run_op({"DequantizeLinear", 13}, {Tensor::of<uint8_t>({0, 128, 255}), scale, Tensor::scalar(uint8_t{128})})[0],
      Tensor::of<float>({-64, 0, 63.5f}));
  expect_close(run_op({"DequantizeLinear", 13}, {Tensor::of<int32_t>({-2000000000, 7}), scale})[0],
               Tensor::of<float>({-1e9f, 3.5f}));
  expect_close(run_op({"DequantizeLinear", 23, {{"output_dtype", int64_t(DType::kFloat16)}}},
                      {Tensor::of<int8_t>({3}), scale})[0],
               cast_to(Tensor::of<float>({1.5f}), DType::kFloat16));
  expect_error(ErrorKind::kType, "x_zero_point", [&] {
    run_op({"DequantizeLinear", 13}, {Tensor::of<uint8_t>({1}), scale, Tensor::scalar(int8_t{0})});
  });
}

TEST(DequantizeLinear, ZeroPointsOfFloatsAreFloats) {
  for (const DType dtype : {DType::kFloat8E4M3FN, DType::kFloat8E5M2}) {
    const auto narrow = [&](const Tensor& x) { return run_op({"Cast", 19, {{"to", int64_t(dtype)}}}, {x})[0].clone(); };
    const Tensor x = narrow(Tensor::of<float>({-2, 0.5f, 7})), scale = Tensor::scalar(2.0f);
    for (const float zero : {-0.0f, 1.5f, -4.0f}) {
      const Tensor y = run_op({"DequantizeLinear", 19}, {x, scale, narrow(Tensor::scalar(zero))})[0];
      expect_close(y, Tensor::of<float>({(-2 - zero) * 2, (0.5f - zero) * 2, (7 - zero) * 2}));
    }
  }
}

TEST(DequantizeLinear, TakesAScalePerBlock) {
  const OpCase op{"DequantizeLinear", 21, {{"axis", int64_t{1}}, {"block_size", int64_t{2}}}};
  const Tensor x = Tensor::of<int8_t>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Tensor scale = Tensor::of<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_close(run_op(op, {x, scale})[0], Tensor::of<float>({2, 3, 2}, {1, 4, 3, 8, 15, 24, 35, 48, 45, 60, 77, 96}));
  expect_error(ErrorKind::kShape, "[2,3,2]", [&] { run_op(op, {x, random_tensor({2, 3, 2})}); });
  const OpCase one_block{"DequantizeLinear", 21, {{"axis", int64_t{1}}, {"block_size", INT64_MAX}}};
  expect_close(run_op(one_block, {x, Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4})})[0],
               Tensor::of<float>({2, 3, 2}, {1, 4, 3, 8, 5, 12, 21, 32, 27, 40, 33, 48}));
}

/// Finds the scale and zero point of an element by its position along the axis.
struct Layout {
  int64_t axis, block;

  int64_t position(const Shape& x, int64_t i) const {
    const int64_t inner = x.elements(int(axis) + 1, x.rank()), length = x[int(axis)];
    const int64_t index = i / inner % length;
    if (block == 0) return index;
    return (i / inner / length * ((length + block - 1) / block) + index / block) * inner + i % inner;
  }
  Shape scales(const Shape& x) const {
    if (block == 0) return {x[int(axis)]};
    Shape shape = x;
    shape[int(axis)] = (x[int(axis)] + block - 1) / block;
    return shape;
  }
};

TEST(Quantization, EveryLayoutOfScalesFollowsTheDefinition) {
  const Shape shape{3, 5, 300, 7};
  const Tensor x = random_uniform(shape, -9, 9);
  for (const Layout& layout : {Layout{0, 0}, {1, 0}, {2, 0}, {3, 0}, {2, 32}, {3, 4}, {0, 2}}) {
    const Shape scales = layout.scales(shape);
    const Tensor scale = random_uniform(scales, 0.02f, 0.2f, 1);
    for (const DType dtype : {DType::kUint8, DType::kInt8}) {
      const int least = dtype == DType::kInt8 ? -128 : 0;
      const Tensor zero = cast_to(random_uniform(scales, float(least), float(least + 255), 2), dtype);
      const Attributes attributes{{"axis", layout.axis}, {"block_size", layout.block}};
      const Tensor y = cast_to(run_op({"QuantizeLinear", 21, attributes}, {x, scale, zero})[0], DType::kInt32);
      const Tensor bytes = cast_to(y, dtype), zeros = cast_to(zero, DType::kInt32);
      const Tensor back = run_op({"DequantizeLinear", 21, attributes}, {bytes, scale, zero})[0];
      const Tensor no_zero = run_op({"DequantizeLinear", 21, attributes}, {bytes, scale})[0];
      for (int64_t i = 0; i < x.size(); ++i) {
        const int64_t at = layout.position(shape, i);
        const float s = scale.data<float>()[at];
        const int32_t z = zeros.data<int32_t>()[at], byte = y.data<int32_t>()[i];
        ASSERT_EQ(byte, std::clamp(int(std::nearbyint(x.data<float>()[i] / s)) + z, least, least + 255)) << i;
        ASSERT_EQ(back.data<float>()[i], float(byte - z) * s) << i;
        ASSERT_EQ(no_zero.data<float>()[i], float(byte) * s) << i;
      }
    }
  }
}

float half_of(float x) { return float(Half(x)); }

/// x and scales are float16. Quotients are rounded to float16 or to the requested precision. In versions without that
/// attribute, they are rounded to float32, as in ONNX Runtime and PyTorch.
TEST(Quantization, HalvesAreDividedInHalfPrecision) {
  const Shape shape{4, 900};
  const Tensor x = cast_to(random_uniform(shape, -9, 9), DType::kFloat16), wide = cast_to(x, DType::kFloat32);
  for (const int64_t block : {0, 32, 300, 1}) {
    const Layout layout{1, block};
    const Shape scales = block == 0 ? Shape{} : layout.scales(shape);
    const Tensor scale = cast_to(random_uniform(scales, 0.02f, 0.2f, 1), DType::kFloat16);
    const Tensor wide_scale = cast_to(scale, DType::kFloat32);
    const Tensor zero = cast_to(random_uniform(scales, -20, 20, 2), DType::kInt8);
    for (const int64_t opset : {21, 23, 24}) {
      const bool rounds = opset == 23;
      Attributes attributes{{"axis", int64_t{1}}, {"block_size", block}};
      if (opset > 23) attributes.emplace("precision", int64_t(DType::kFloat32));
      const Tensor y = run_op({"QuantizeLinear", opset, attributes}, {x, scale, zero})[0];
      for (int64_t i = 0; i < x.size(); ++i) {
        const int64_t at = block == 0 ? 0 : layout.position(shape, i);
        const float quotient = wide.data<float>()[i] / wide_scale.data<float>()[at];
        const float rounded = std::nearbyint(rounds ? half_of(quotient) : quotient) + zero.data<int8_t>()[at];
        ASSERT_EQ(float(y.data<int8_t>()[i]), std::clamp(rounded, -128.0f, 127.0f)) << i << " by " << block;
      }
    }
  }
}

/// Tests integers above and below 8 bits, with an odd number of elements in each row.
TEST(Quantization, DequantizesEveryWidth) {
  const Shape shape{5, 333};
  for (const DType dtype :
       {DType::kInt2, DType::kUint2, DType::kInt4, DType::kUint4, DType::kInt16, DType::kUint16, DType::kInt32}) {
    const int bits = dtype_bits(dtype);
    const bool is_signed = dtype == DType::kInt2 || dtype == DType::kInt4 || bits == 32 || dtype == DType::kInt16;
    const float greatest = bits == 32 ? 2e9f : float((1 << (is_signed ? bits - 1 : bits)) - 1);
    const Tensor numbers = random_uniform(shape, is_signed ? -greatest : 0, greatest + 0.9f, 3);
    const Tensor x = run_op({"Cast", 25, {{"to", int64_t(dtype)}}}, {numbers})[0].clone();
    const Tensor values = run_op({"Cast", 25, {{"to", int64_t(DType::kFloat64)}}}, {x})[0].clone();
    for (const DType y_dtype : {DType::kFloat32, DType::kFloat16}) {
      for (const Layout& layout : {Layout{0, 0}, Layout{1, 32}}) {
        const Shape scales = layout.scales(shape);
        const Tensor scale = random_uniform(scales, 1e-6f, 2e-6f, 1);
        const Attributes attributes{
            {"axis", layout.axis}, {"block_size", layout.block}, {"output_dtype", int64_t(y_dtype)}};
        const Tensor zero =
            run_op({"Cast", 25, {{"to", int64_t(dtype)}}}, {random_uniform(scales, 0, 1.9f)})[0].clone();
        const Tensor zeros = run_op({"Cast", 25, {{"to", int64_t(DType::kFloat64)}}}, {zero})[0].clone();
        for (const bool given : {true, false}) {
          const Tensor y = run_op({"DequantizeLinear", 25, attributes}, {x, scale, given ? zero : Tensor()})[0];
          const Tensor got = cast_to(y, DType::kFloat32);
          for (int64_t i = 0; i < x.size(); ++i) {
            const int64_t at = layout.position(shape, i);
            const double difference = values.data<double>()[i] - (given ? zeros.data<double>()[at] : 0);
            const float want = float(difference) * scale.data<float>()[at];
            ASSERT_EQ(got.data<float>()[i], y_dtype == DType::kFloat16 ? half_of(want) : want) << dtype << " " << i;
          }
        }
      }
    }
  }
}

TEST(Quantization, ReturnsWithinHalfTheScaleOnLargeTensors) {
  const Tensor x = random_uniform({3, 40000}, -1, 1);
  const Tensor scale = Tensor::of<float>({0.01f, 0.02f, 0.03f});
  const OpCase quantize{"QuantizeLinear", 21, {{"axis", int64_t{0}}, {"output_dtype", int64_t(DType::kInt8)}}};
  const OpCase dequantize{"DequantizeLinear", 21, {{"axis", int64_t{0}}}};
  const Tensor back = run_op(dequantize, {run_op(quantize, {x, scale})[0], scale})[0];
  for (int64_t row = 0; row < 3; ++row) {
    const float own = scale.data<float>()[row];
    for (int64_t i = 0; i < 40000; ++i) {
      const int64_t at = row * 40000 + i;
      ASSERT_NEAR(back.data<float>()[at], x.data<float>()[at], own / 2 + 1e-6f) << at;
    }
  }
}

}  // namespace
}  // namespace linnet::testing
