#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::integer_product {
namespace {

constexpr int64_t kM = 3, kK = 6, kN = 4;
const Tensor kScales = Tensor::of<float>({0.5f, 0.25f, 0.125f, 1}), kBias = Tensor::of<float>({1, 2, 3, 4});
const Tensor kScale = Tensor::scalar(0.5f), kZeros = Tensor::of<int8_t>({1, 2, 3, 4});
const Tensor kA = scattered<uint8_t>({2, kM, kK}), kB = scattered<int8_t>({kK, kN}, 59);

/// Returns a(i, k) times B, with the scale and zero point of each column, plus the bias.
template <class A>
Tensor product(A&& a) {
  Tensor y(DType::kFloat32, {2, kM, kN});
  for (int64_t i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (int64_t k = 0; k < kK; ++k) {
      sum += a(i / kN * kK + k) * (kB.data<int8_t>()[k * kN + i % kN] - kZeros.data<int8_t>()[i % kN]);
    }
    y.data<float>()[i] = float(sum * kScales.data<float>()[i % kN] + kBias.data<float>()[i % kN]);
  }
  return y;
}

TEST(MatMulIntegerToFloat, ScalesExactSums) {
  const Tensor want = product([](int64_t i) { return (kA.data<uint8_t>()[i] - 9) * 0.5; });
  const std::vector<Tensor> inputs{kA, kB, kScale, kScales, Tensor::scalar(uint8_t{9}), kZeros, kBias};
  expect_close(run_expanded("MatMulIntegerToFloat", {}, inputs)[0], want, 1e-3, 1e-6);
}

TEST(DynamicQuantizeMatMul, RoundsAAsDynamicQuantizeLinearDoes) {
  const Tensor x = random_uniform({2, kM, kK}, -3, 5);
  const std::vector<Tensor> a = run_op({"DynamicQuantizeLinear", 11}, {x}, 3);
  const double scale = *a[1].data<float>(), zero = *a[2].data<uint8_t>();
  const Tensor want = product([&](int64_t i) { return (a[0].data<uint8_t>()[i] - zero) * scale; });
  expect_close(run_expanded("DynamicQuantizeMatMul", {}, {x, kB, kScales, kZeros, kBias})[0], want, 1e-3, 1e-6);
}

TEST(IntegerProduct, RefusesParametersThatAreNotOfColumns) {
  const OpCase op{"DynamicQuantizeMatMul", 1, {}, "com.microsoft"};
  const Tensor x = random_tensor({kM, kK}), three = Tensor::of<float>({1, 2, 3});
  expect_error(ErrorKind::kShape, "scale", [&] { run_op(op, {x, kB, three}); });
  expect_error(ErrorKind::kShape, "zero point", [&] { run_op(op, {x, kB, kScale, Tensor::of<int8_t>({1, 2, 3})}); });
  expect_error(ErrorKind::kShape, "bias", [&] { run_op(op, {x, kB, kScale, Tensor(), three}); });
  expect_error(ErrorKind::kType, "bias", [&] { run_op(op, {x, kB, kScale, Tensor(), kZeros}); });
  expect_error(ErrorKind::kModel, "b_scale", [&] { run_op(op, {x, kB, Tensor::scalar(0.0f)}, 1, {2}); });
  expect_error(ErrorKind::kShape, "a_scale", [&] {
    run_op({"MatMulIntegerToFloat", 1, {}, "com.microsoft"}, {kA, kB, kScales, kScale});
  });
}

}  // namespace
}  // namespace linnet::testing::integer_product
