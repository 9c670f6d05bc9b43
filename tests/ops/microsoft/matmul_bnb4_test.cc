#include <gtest/gtest.h>

#include <limits>

#include "support/run_expanded.h"

namespace linnet::testing::matmul_bnb4 {
namespace {

constexpr int64_t kN = 3, kK = 15;  // An odd number of codes, with a partial last block.

Attributes attributes(int64_t type) {
  return {{"N", kN}, {"K", kK}, {"block_size", int64_t{16}}, {"quant_type", type}};
}

const Tensor kB = scattered<uint8_t>({23}), kAbsmax = Tensor::of<float>({1, 0.5f, 3});

double weight(int64_t i, int64_t type) {
  static constexpr double kFp4[] = {0, 0.0625 / 12, 8 / 12.0, 1, 4 / 12.0, 6 / 12.0, 2 / 12.0, 3 / 12.0};
  static constexpr double kNf4[] = {-1,      -0.69619, -0.52507, -0.39492, -0.28444, -0.18477, -0.09105, 0,
                                    0.07958, 0.16093,  0.24611,  0.33792,  0.44071,  0.56262,  0.72296,  1};
  const int code = kB.data<uint8_t>()[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15;
  const double fp4 = code < 8 ? kFp4[code] : -kFp4[code - 8];
  return (type == 0 ? fp4 : kNf4[code]) * kAbsmax.data<float>()[i / 16];
}

TEST(MatMulBnb4, MultipliesWithTheValuesOfTheTable) {
  const Tensor a = random_tensor({2, 2, kK}), back = random_tensor({4, kN});
  for (const int64_t type : {0, 1}) {
    Tensor w(DType::kFloat32, {kN, kK}), transposed(DType::kFloat32, {kK, kN});
    for (int64_t i = 0; i < kN * kK; ++i) {
      w.data<float>()[i] = transposed.data<float>()[i % kK * kN + i / kK] = float(weight(i, type));
    }
    expect_close(run_expanded("MatMulBnb4", attributes(type), {a, kB, kAbsmax})[0],
                 run_op({"MatMul", 13}, {a, transposed})[0], 2e-4);
    Attributes not_transposed = attributes(type);
    not_transposed["transB"] = int64_t{0};
    expect_close(run_expanded("MatMulBnb4", not_transposed, {back, kB, kAbsmax})[0],
                 run_op({"MatMul", 13}, {back, w})[0], 2e-4);
  }
}

/// The result equals that of blocks of 16 with equal scales.
TEST(MatMulBnb4, BlocksMayBeginAmidAByte) {
  const Tensor a = random_tensor({2, kK}), scales = Tensor::of<float>({0.5f, 0.5f, 0.5f});
  for (const int64_t block : {1, 5, 7}) {
    Attributes given = attributes(1);
    given["block_size"] = block;
    const std::vector<float> halves(size_t((kN * kK + block - 1) / block), 0.5f);
    expect_close(run_expanded("MatMulBnb4", given, {a, kB, Tensor::of(halves)})[0],
                 run_expanded("MatMulBnb4", attributes(1), {a, kB, scales})[0]);
  }
}

TEST(MatMulBnb4, ABlockMayBeLongerThanTheWeights) {
  Attributes one_block = attributes(1);
  const Tensor a = random_tensor({2, kK}), half = Tensor::of<float>({0.5f});
  const Tensor halves = Tensor::of<float>({0.5f, 0.5f, 0.5f});
  for (const int64_t block : {int64_t{1} << 40, std::numeric_limits<int64_t>::max()}) {
    one_block["block_size"] = block;
    expect_close(run_expanded("MatMulBnb4", one_block, {a, kB, half})[0],
                 run_expanded("MatMulBnb4", attributes(1), {a, kB, halves})[0], 1e-6);
  }
}

TEST(MatMulBnb4, RefusesSizesThatDoNotFit) {
  const Tensor a = random_tensor({2, kK});
  const auto run = [&](const Attributes& given, const Tensor& b, const Tensor& absmax) {
    run_op({"MatMulBnb4", 1, given, "com.microsoft"}, {a, b, absmax});
  };
  expect_error(ErrorKind::kShape, "B must have 23", [&] { run(attributes(0), scattered<uint8_t>({22}), kAbsmax); });
  expect_error(ErrorKind::kShape, "absmax must have 3", [&] { run(attributes(0), kB, Tensor::of<float>({1, 2})); });
  expect_error(ErrorKind::kModel, "quant_type", [&] { run(attributes(2), kB, kAbsmax); });
  Attributes given = attributes(0);
  given["block_size"] = int64_t{0};
  expect_error(ErrorKind::kModel, "block_size", [&] { run(given, kB, kAbsmax); });
}

}  // namespace
}  // namespace linnet::testing::matmul_bnb4
