#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/graph_builder.h"
#include "support/run_expanded.h"

namespace linnet::testing {
namespace {

/// Returns values 0, 1, 2, ... times `step`, modulo 256, as an 8-bit type.
template <class T>
Tensor bytes(const Shape& shape, int step) {
  std::vector<T> values;
  for (int64_t i = 0; i < shape.elements(); ++i) values.push_back(T(uint8_t(i * step % 251)));
  return Tensor::of(shape, values);
}

template <class A, class B, class AZero, class BZero>
Tensor matmul_integer_reference(const Tensor& a, const Tensor& b, int64_t m, int64_t n, int64_t k, AZero a_zero,
                                BZero b_zero) {
  Tensor y(DType::kInt32, {m, n});
  for (int64_t i = 0; i < m * n; ++i) {
    int64_t sum = 0;
    for (int64_t l = 0; l < k; ++l) {
      sum +=
          (int64_t{a.data<A>()[i / n * k + l]} - a_zero(i / n)) * (int64_t{b.data<B>()[l * n + i % n]} - b_zero(i % n));
    }
    y.data<int32_t>()[i] = int32_t(uint32_t(sum));
  }
  return y;
}

TEST(MatMulInteger, SubtractsZeroPointsOfRowsAndColumns) {
  const int64_t m = 7, n = 5, k = 33;
  const Tensor a = bytes<uint8_t>({m, k}, 37), b = bytes<int8_t>({k, n}, 91);
  const Tensor a_zero = Tensor::of<uint8_t>({0, 255, 3, 4, 128, 6, 7}),
               b_zero = Tensor::of<int8_t>({-128, 127, 0, 1, 2});
  const Tensor want = matmul_integer_reference<uint8_t, int8_t>(
      a, b, m, n, k, [&](int64_t i) { return a_zero.data<uint8_t>()[i]; },
      [&](int64_t j) { return b_zero.data<int8_t>()[j]; });
  const OpCase op{"MatMulInteger", 10};
  expect_close(run_op(op, {a, b, a_zero, b_zero})[0], want);
  expect_close(run_op(op, {a, b, a_zero, b_zero}, 1, {1, 3})[0], want);
  expect_close(run_op(op, {a, b, a_zero.reshaped({m, 1}), b_zero.reshaped({1, n})}, 1, {}, Isa::kAuto, 1)[0], want);
  const auto none = [](int64_t) { return 0; };
  expect_close(run_op(op, {a, b})[0], matmul_integer_reference<uint8_t, int8_t>(a, b, m, n, k, none, none));
}

/// Returns the least and the greatest values and those next to the sign bit, without a regular order.
template <class T>
Tensor extremes(const Shape& shape, int seed) {
  std::vector<T> values;
  for (int64_t i = 0; i < shape.elements(); ++i)
    values.push_back(T(std::array{0, 127, 128, 255}[size_t((i + seed) * 37 / 3 % 4)]));
  return Tensor::of(shape, values);
}

template <class A, class B>
void expect_extremes(Isa isa, int64_t m, int64_t n, int64_t k) {
  const Tensor a = extremes<A>({m, k}, 0), b = extremes<B>({k, n}, 1);
  const Tensor a_zero = extremes<A>({m}, 2), b_zero = extremes<B>({n}, 3);
  const Tensor want = matmul_integer_reference<A, B>(
      a, b, m, n, k, [&](int64_t i) { return a_zero.data<A>()[i]; }, [&](int64_t j) { return b_zero.data<B>()[j]; });
  for (const std::vector<int>& constants : {std::vector<int>{}, {1}, {1, 3}}) {
    expect_close(run_op({"MatMulInteger", 10}, {a, b, a_zero, b_zero}, 1, constants, isa)[0], want);
  }
}

TEST(MatMulInteger, IsExactForExtremesOfAllSizesAndInstructionSets) {
  for (const Isa isa : supported_isas()) {
    for (const auto& [m, n, k] : {std::array{1, 1, 1}, {1, 300, 77}, {3, 70, 131}, {50, 33, 2}, {150, 40, 1201}}) {
      expect_extremes<uint8_t, int8_t>(isa, m, n, k);
      expect_extremes<int8_t, uint8_t>(isa, m, n, k);
      expect_extremes<int8_t, int8_t>(isa, m, n, k);
      expect_extremes<uint8_t, uint8_t>(isa, m, n, k);
    }
  }
}

/// Tests B of dtype B with zero points `zero`, which are 0 after the conversion of B to int8.
template <class B>
void expect_exact_without_b_zero(Isa isa, B zero, bool batches) {
  const int64_t m = 30, n = 41, k = 66;
  const Tensor a = extremes<uint8_t>(batches ? Shape{2, m, k} : Shape{m, k}, 0), b = extremes<B>({k, n}, 1);
  const Tensor b_zero = Tensor::of<B>(std::vector<B>(size_t(n), zero));
  for (const int a_zero : {0, 7, 255}) {
    Tensor want(DType::kInt32, batches ? Shape{2, m, n} : Shape{m, n});
    const Tensor rows = matmul_integer_reference<uint8_t, B>(
        a, b, want.size() / n, n, k, [&](int64_t) { return a_zero; }, [&](int64_t) { return int(zero); });
    std::copy_n(rows.data<int32_t>(), want.size(), want.data<int32_t>());
    for (const std::vector<int>& constants : {std::vector<int>{3}, {1, 3}}) {
      expect_close(run_op({"MatMulInteger", 10}, {a, b, Tensor::scalar(uint8_t(a_zero)), b_zero}, 1, constants, isa)[0],
                   want);
    }
  }
}

TEST(MatMulInteger, IsExactWhereNothingIsSubtractedFromB) {
  for (const Isa isa : supported_isas()) {
    for (const bool batches : {false, true}) {
      expect_exact_without_b_zero<int8_t>(isa, 0, batches);
      expect_exact_without_b_zero<uint8_t>(isa, 128, batches);
      expect_exact_without_b_zero<uint8_t>(isa, 127, batches);
    }
  }
}

TEST(MatMulInteger, OfNoDepthIsZero) {
  const Tensor a(DType::kUint8, {3, 0}), b(DType::kInt8, {0, 5});
  for (const std::vector<int>& constants : {std::vector<int>{}, {1}}) {
    expect_close(run_op({"MatMulInteger", 10}, {a, b}, 1, constants)[0],
                 Tensor::of({3, 5}, std::vector<int32_t>(15, 0)));
  }
}

TEST(MatMulInteger, TwoProductsOfOneConstantKeepTheirZeroPoints) {
  GraphBuilder b(10);
  const Tensor a = bytes<uint8_t>({4, 6}, 37), w = bytes<uint8_t>({6, 3}, 91);
  const ValueId x = b.input("a", Fact(DType::kUint8, Dims{4, 6})), weights = b.constant(w);
  const auto none = [](int64_t) { return 0; };
  std::vector<Tensor> want;
  for (const uint8_t zero : {uint8_t{0}, uint8_t{1}, uint8_t{255}}) {
    b.output(b.op("MatMulInteger", {x, weights, kNoValue, b.constant(Tensor::scalar(zero))}));
    want.push_back(matmul_integer_reference<uint8_t, uint8_t>(a, w, 4, 3, 6, none, [&](int64_t) { return zero; }));
  }
  const std::vector<Tensor> got = run_model(b.model(), {a});
  for (size_t i = 0; i < want.size(); ++i) expect_close(got[i], want[i]);
}

TEST(MatMulInteger, BroadcastsBatchesWithTheirZeroPoints) {
  const Tensor a = bytes<int8_t>({2, 1, 3, 4}, 17), b = bytes<uint8_t>({5, 4, 2}, 29);
  const Tensor a_zero = Tensor::of<int8_t>({2, 1, 3, 1}, {1, 2, 3, 4, 5, 6});
  const Tensor b_zero = bytes<uint8_t>({5, 1, 2}, 11);
  const Tensor y = run_op({"MatMulInteger", 10}, {a, b, a_zero, b_zero})[0];
  ASSERT_EQ(y.shape(), (Shape{2, 5, 3, 2}));
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      const Tensor left = Tensor::of<int8_t>({3, 4}, {a.data<int8_t>() + i * 12, a.data<int8_t>() + i * 12 + 12});
      const Tensor right = Tensor::of<uint8_t>({4, 2}, {b.data<uint8_t>() + j * 8, b.data<uint8_t>() + j * 8 + 8});
      const Tensor want = matmul_integer_reference<int8_t, uint8_t>(
          left, right, 3, 2, 4, [&](int64_t r) { return a_zero.data<int8_t>()[i * 3 + r]; },
          [&](int64_t c) { return b_zero.data<uint8_t>()[j * 2 + c]; });
      const int32_t* got = y.data<int32_t>() + (i * 5 + j) * 6;
      expect_close(Tensor::of<int32_t>({3, 2}, {got, got + 6}), want);
    }
  }
}

TEST(MatMulInteger, TakesVectorsAndLongSumsThatWrap) {
  const int64_t k = 70000;
  const Tensor a = Tensor::of(std::vector<uint8_t>(size_t(k), 255)),
               b = Tensor::of(std::vector<uint8_t>(size_t(k), 255));
  const Tensor y = run_op({"MatMulInteger", 10}, {a, b})[0];
  EXPECT_EQ(y.rank(), 0);
  EXPECT_EQ(*y.data<int32_t>(), int32_t(uint32_t(k * 255 * 255)));
}

TEST(MatMulInteger, ChecksTypesAndShapes) {
  const Tensor a = bytes<uint8_t>({2, 3}, 1), b = bytes<uint8_t>({3, 2}, 1);
  const OpCase op{"MatMulInteger", 10};
  expect_error(ErrorKind::kShape, "last dim", [&] { run_op(op, {a, a}); });
  expect_error(ErrorKind::kType, "zero point", [&] { run_op(op, {a, b, Tensor::scalar(int8_t{0})}); });
  expect_error(ErrorKind::kShape, "a_zero_point", [&] { run_op(op, {a, b, Tensor::of<uint8_t>({1, 2, 3})}); });
}

Tensor ones(const Shape& shape) { return Tensor::of(shape, std::vector<uint8_t>(size_t(shape.elements()), 1)); }

TEST(QLinearMatMul, RequantizesWithScalesOfRowsAndColumns) {
  const int64_t m = 6, n = 9, k = 10;
  const Tensor a = bytes<uint8_t>({m, k}, 41), b = bytes<int8_t>({k, n}, 53);
  const Tensor a_scale = random_uniform({m}, 0.01f, 0.02f, 1), b_scale = random_uniform({n}, 0.01f, 0.02f, 2);
  const Tensor a_zero = bytes<uint8_t>({m}, 20), b_zero = bytes<int8_t>({n}, 3);
  const Tensor y = run_expanded({"QLinearMatMul", 10}, {a, a_scale, a_zero, b, b_scale, b_zero, Tensor::scalar(0.25f),
                                                        Tensor::scalar(int8_t{-3})})[0];
  for (int64_t i = 0; i < m * n; ++i) {
    double sum = 0;
    for (int64_t l = 0; l < k; ++l) {
      sum += double(a.data<uint8_t>()[i / n * k + l] - a_zero.data<uint8_t>()[i / n]) *
             double(b.data<int8_t>()[l * n + i % n] - b_zero.data<int8_t>()[i % n]);
    }
    const double real = sum * double(a_scale.data<float>()[i / n]) * double(b_scale.data<float>()[i % n]);
    EXPECT_NEAR(double(y.data<int8_t>()[i]), std::fmin(127, std::fmax(-128, real / 0.25 - 3)), 0.501);
  }
}

TEST(QLinearMatMul, RoundsTiesToEvenAndSaturates) {
  const Tensor a = Tensor::of<uint8_t>({4, 1}, {1, 3, 5, 255}), zero = Tensor::scalar(uint8_t{0});
  for (const DType scale : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const Tensor half = cast_to(Tensor::scalar(0.5f), scale), one = cast_to(Tensor::scalar(1.0f), scale);
    const Tensor y = run_expanded({"QLinearMatMul", 21},
                                  {a, half, zero, ones({1, 1}), one, zero, one, Tensor::scalar(uint8_t{200})})[0];
    expect_close(y, Tensor::of<uint8_t>({4, 1}, {200, 202, 202, 255}));
  }
}

TEST(QLinearMatMul, TakesFloat8) {
  // The values are 1, 2, -1.5, 0 times 2 and 1 in float8e4m3fn.
  std::vector<uint8_t> codes{0x38, 0x40, 0xbc, 0x00}, factor{0x40, 0x38}, zero{0};
  const DType f8 = DType::kFloat8E4M3FN;
  const Tensor a = Tensor::wrap(f8, {2, 2}, codes.data()), b = Tensor::wrap(f8, {2, 1}, factor.data());
  const Tensor none = Tensor::wrap(f8, {}, zero.data()), one = Tensor::scalar(1.0f), half = Tensor::scalar(0.5f);
  const Tensor y = run_op({"QLinearMatMul", 21}, {a, one, none, b, half, none, one, none})[0];
  ASSERT_EQ(y.dtype(), f8);
  EXPECT_EQ(static_cast<const uint8_t*>(y.raw())[0], 0x40);  // 2
  EXPECT_EQ(static_cast<const uint8_t*>(y.raw())[1], 0xbc);  // -1.5
  const Tensor bytes =
      run_expanded({"QLinearMatMul", 21}, {a, one, none, b, one, none, half, Tensor::scalar(uint8_t{10})})[0];
  expect_close(bytes, Tensor::of<uint8_t>({2, 1}, {18, 4}));
}

TEST(QLinearMatMul, ScalesOfTheOutputAreThoseOfItsRowsWhereAnOperandIsAVector) {
  const Tensor one = Tensor::scalar(1.0f), zero = Tensor::scalar(uint8_t{0}), vector = ones({3});
  const auto multiply = [&](const Tensor& a, const Tensor& b, const Shape& scales) {
    const Tensor y_scale = Tensor::of(scales, std::vector<float>(size_t(scales.elements()), 1)), y_zero = ones(scales);
    return run_expanded({"QLinearMatMul", 10}, {a, one, zero, b, one, zero, y_scale, y_zero})[0];
  };
  const auto fours = [](const Shape& shape) {
    return Tensor::of(shape, std::vector<uint8_t>(size_t(shape.elements()), 4));
  };
  expect_close(multiply(vector, ones({2, 3, 5}), {2, 1, 1}), fours({2, 5}));
  expect_close(multiply(ones({2, 7, 3}), vector, {7}), fours({2, 7}));
  expect_close(multiply(ones({2, 7, 3}), vector, {2, 7, 1}), fours({2, 7}));
  expect_close(multiply(vector, vector, {}), fours({}));
  expect_error(ErrorKind::kShape, "y_scale", [&] { multiply(vector, ones({2, 3, 5}), {2, 1}); });
  expect_error(ErrorKind::kShape, "y_scale", [&] { multiply(ones({2, 7, 3}), vector, {2}); });
}

TEST(QLinearMatMul, WhatIsNoNumberIsTheLeast) {
  const Tensor a = Tensor::of<int8_t>({3, 1}, {0, 1, -1}), zero = Tensor::scalar(int8_t{0});
  const Tensor infinite = Tensor::scalar(INFINITY), one = Tensor::scalar(1.0f);
  const Tensor y = run_expanded({"QLinearMatMul", 10}, {a, infinite, zero, ones({1, 1}), one,
                                                        Tensor::scalar(uint8_t{0}), one, Tensor::scalar(int8_t{5})})[0];
  expect_close(y, Tensor::of<int8_t>({3, 1}, {-128, 127, -128}));
}

TEST(QLinearMatMul, WaitsForTheShapesOfItsParameters) {
  const Dim rows("M"), open("P");
  GraphBuilder b(21);
  const auto parameter = [&](const std::string& name, DType dtype) {
    return b.input(name, Fact(dtype, Dims{open, Dim("Q"), Dim("R")}));
  };
  const ValueId a = b.input("a", Fact(DType::kUint8, Dims{rows, 2}));
  const ValueId a_scale = parameter("a_scale", DType::kFloat32), a_zero = parameter("a_zero", DType::kUint8);
  const ValueId w = b.constant(ones({2, 4})), one = b.constant(Tensor::scalar(1.0f));
  const ValueId zero = b.constant(Tensor::scalar(uint8_t{0}));
  b.output(b.op("QLinearMatMul", {a, a_scale, a_zero, w, one, zero, one, zero}));
  const Shape element{1, 1, 1};
  for (const int level : {0, 2}) {
    ModelOptions options;
    options.optimization = level;
    const Tensor y = run_model(b.model(options), {Tensor::of<uint8_t>({1, 2}, {7, 9}), Tensor::of<float>(element, {2}),
                                                  Tensor::of<uint8_t>(element, {1})})[0];
    expect_close(y, Tensor::of<uint8_t>({1, 4}, {28, 28, 28, 28}));
  }
}

TEST(QLinearMatMul, ChecksScales) {
  const Tensor a = ones({2, 3}), b = ones({3, 2}), one = Tensor::scalar(1.0f), zero = Tensor::scalar(uint8_t{0});
  expect_error(ErrorKind::kShape, "a_zero_point", [&] {
    run_op({"QLinearMatMul", 10},
           {a, Tensor::of<float>({1, 2}), Tensor::of<uint8_t>({1, 2, 3}), b, one, zero, one, zero});
  });
  expect_error(ErrorKind::kShape, "b_zero_point", [&] {
    run_op({"QLinearMatMul", 10},
           {a, one, zero, b, Tensor::of<float>({1, 2, 3}), Tensor::of<uint8_t>({1, 2, 3}), one, zero});
  });
  expect_error(ErrorKind::kType, "a_scale", [&] {
    run_op({"QLinearMatMul", 10}, {a, zero, zero, b, one, zero, one, zero});
  });
}

}  // namespace
}  // namespace linnet::testing
