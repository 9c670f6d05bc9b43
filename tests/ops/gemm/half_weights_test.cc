#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "gemm/product_plan.h"
#include "gemm/weights.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr DType kHalves[] = {DType::kFloat16, DType::kBFloat16};

/// Returns any finite values, including subnormal float16 values.
template <class T>
std::vector<T> random_halves(int64_t count) {
  std::mt19937 engine(3);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) {
    do value.bits = uint16_t(engine());
    while (!(std::abs(float(value)) < 1e5f));
  }
  return values;
}

/// Returns a matrix [depth, columns].
template <class T>
GemmWeights<T> matrix(const T* b, int64_t depth, int64_t columns) {
  GemmWeights<T> weights;
  weights.data = b;
  weights.depth = depth;
  weights.columns = columns;
  weights.depth_stride = columns;
  weights.column_stride = 1;
  return weights;
}

template <class Type>
std::vector<float> product(Isa isa, const std::vector<float>& a, const std::vector<typename Type::B>& b, int64_t m,
                           int64_t n, int64_t k) {
  using B = typename Type::B;
  GemmSizes sizes{.rows = m, .columns = n, .depth = k};
  sizes.row_scratch_bytes = MatrixRows<float>::scratch_bytes(k, k);
  const GemmPlan<Type> plan(kernels_for<GemmKernels<Type>>(isa), sizes);
  // Memory after the packed weights cannot be read.
  Guarded<uint8_t> memory(packed_size(plan.panels(), 1, k) * int64_t{sizeof(B)});
  auto* packed = reinterpret_cast<B*>(memory.data());
  pack_weights(matrix(b.data(), k, n), plan.panels(), packed);
  const MatrixRows<float> rows(a.data(), k);
  std::vector<float> y(static_cast<size_t>(m * n));
  std::vector<std::byte> scratch(plan.scratch_bytes() + 64);
  for (int64_t chunk = 0; chunk < plan.chunks(); ++chunk) {
    plan.run_chunk({.a = &rows, .b = packed, .y = y.data(), .y_pitch = n}, chunk, scratch.data());
  }
  return y;
}

template <class Type>
void expect_bits_of_float32(Isa isa, int64_t m, int64_t n, int64_t k) {
  if (!kernels_for<GemmKernels<Type>>(isa).strip) return;
  const auto b = random_halves<typename Type::B>(k * n);
  const std::vector<float> wide(b.begin(), b.end());
  const Tensor a = random_tensor({m, k});
  const std::vector<float> rows(a.values<float>().begin(), a.values<float>().end());
  ASSERT_EQ(product<Type>(isa, rows, b, m, n, k), product<GemmF32>(isa, rows, wide, m, n, k))
      << "m " << m << " n " << n << " k " << k;
}

class HalfWeights : public ::testing::TestWithParam<Isa> {};

TEST_P(HalfWeights, MultiplyToTheBitsOfFloat32ForAllTileHeightsAndPanelEdges) {
  const int lanes = kernels_for<GemmKernels<GemmF32>>(GetParam()).lanes;
  for (int64_t m = 1; m <= 2 * kMostStripRows + 1; ++m) {
    for (const int64_t n : {1, lanes - 1, lanes, 2 * lanes + 1, 3 * lanes, 4 * lanes, 8 * lanes, 12 * lanes + 5}) {
      expect_bits_of_float32<GemmHalf>(GetParam(), m, n, 7);
      expect_bits_of_float32<GemmBFloat16>(GetParam(), m, n, 7);
    }
  }
}

TEST_P(HalfWeights, MultiplyToTheBitsOfFloat32ForDepthsFromNoneToSeveralBlocks) {
  for (const int64_t k : {0, 1, 2, 33, 512, 1300}) {
    for (const int64_t m : {1, 14, 300}) {
      expect_bits_of_float32<GemmHalf>(GetParam(), m, 150, k);
      expect_bits_of_float32<GemmBFloat16>(GetParam(), m, 150, k);
    }
  }
}

TEST_P(HalfWeights, KeepInfinityAndNaN) {
  std::vector<Half> half(3);
  half[0].bits = 0x7c00;
  half[1].bits = 0xfc00;
  half[2].bits = 0x7e01;
  std::vector<BFloat16> bfloat16(3);
  bfloat16[0].bits = 0x7f80;
  bfloat16[1].bits = 0xff80;
  bfloat16[2].bits = 0x7fc1;
  std::vector<std::vector<float>> results{product<GemmBFloat16>(GetParam(), {1}, bfloat16, 1, 3, 1)};
  if (kernels_for<GemmKernels<GemmHalf>>(GetParam()).strip) {
    results.push_back(product<GemmHalf>(GetParam(), {1}, half, 1, 3, 1));
  }
  for (const auto& y : results) {
    EXPECT_EQ(y[0], INFINITY);
    EXPECT_EQ(y[1], -INFINITY);
    EXPECT_TRUE(std::isnan(y[2]));
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, HalfWeights, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

/// Checks that the operator with a constant 16-bit input w gives the same bits as with w as float32.
void expect_bits_of_wide(const OpCase& op, std::vector<Tensor> inputs, size_t w) {
  for (const DType dtype : kHalves) {
    for (const Isa isa : supported_isas()) {
      const Tensor half = cast_to(inputs[w], dtype);
      std::vector<Tensor> narrow = inputs, wide = inputs;
      narrow[w] = half;
      wide[w] = cast_to(half, DType::kFloat32);
      const std::vector<int> constants{int(w)};
      expect_close(run_op(op, narrow, 1, constants, isa)[0], run_op(op, wide, 1, constants, isa)[0]);
    }
  }
}

const OpCase kMatMul{"MatMul", 1, {}, "linnet"};

TEST(HalfWeights, OfMatMulGiveTheBitsOfFloat32) {
  expect_bits_of_wide(kMatMul, {random_tensor({2, 5, 70}), random_tensor({70, 45}, 1), random_tensor({45}, 2)}, 1);
  expect_bits_of_wide(kMatMul, {random_tensor({3, 1, 70}), random_tensor({3, 70, 45}, 1)}, 1);
}

TEST(HalfWeights, OfGemmGiveTheBitsOfFloat32) {
  for (const int64_t transposed : {0, 1}) {
    expect_bits_of_wide({"Gemm", 1, {{"transB", transposed}}, "linnet"},
                        {random_tensor({5, 48}), random_tensor({48, 48}, 1), random_tensor({48}, 2)}, 1);
  }
}

TEST(HalfWeights, OfConvGiveTheBitsOfFloat32WhateverTheAlgorithm) {
  const auto conv = [](const Shape& x, const Shape& w, int64_t group, int64_t stride) {
    const Attributes attributes{{"group", group}, {"strides", std::vector<int64_t>{stride, stride}}};
    expect_bits_of_wide({"Conv", 1, attributes, "linnet"}, {random_tensor(x), random_tensor(w, 1)}, 1);
  };
  conv({1, 9, 9, 20}, {24, 20, 1, 1}, 1, 1);    // pointwise
  conv({1, 9, 9, 20}, {24, 20, 3, 3}, 1, 2);    // indirect
  conv({1, 40, 40, 32}, {64, 32, 3, 3}, 1, 1);  // Winograd
  conv({1, 33, 33, 3}, {24, 3, 3, 3}, 1, 2);    // lines
  conv({1, 9, 9, 20}, {20, 1, 3, 3}, 20, 1);    // depthwise
  conv({1, 9, 9, 32}, {32, 8, 3, 3}, 4, 1);     // grouped
  conv({1, 9, 9, 80}, {160, 40, 3, 3}, 2, 1);   // groups of many channels
}

TEST(HalfWeights, OfFusedConvolutionsGiveTheBitsOfFloat32) {
  expect_bits_of_wide(
      {"PointwiseConv", 1, {}, "linnet"},
      {random_tensor({24, 20, 1, 1}), {}, {}, {}, {}, random_tensor({1, 9, 9, 12}, 1), random_tensor({1, 9, 9, 8}, 2)},
      0);
  const std::vector<int64_t> kernel{3, 3};
  for (const size_t w : {1, 2}) {
    for (const char* op : {"PointwiseDepthwiseConv", "DepthwisePointwiseConv"}) {
      const bool pointwise_first = op[0] == 'P';
      const Tensor pointwise = random_tensor({20, 20, 1, 1}, 1), depthwise = random_tensor({20, 1, 3, 3}, 2);
      const OpCase fused{op, 1, {{"group", int64_t{20}}, {"kernel_shape", kernel}}, "linnet"};
      for (const DType dtype : kHalves) {
        std::vector<Tensor> wide{random_tensor({1, 12, 12, 20}), pointwise_first ? pointwise : depthwise,
                                 pointwise_first ? depthwise : pointwise};
        std::vector<Tensor> narrow = wide;
        narrow[w] = cast_to(wide[w], dtype);
        wide[w] = cast_to(narrow[w], DType::kFloat32);
        expect_close(run_op(fused, narrow, 1, {1, 2})[0], run_op(fused, wide, 1, {1, 2})[0]);
      }
    }
  }
}

TEST(HalfWeights, AreRefusedWhereNoKernelTakesThem) {
  const Tensor half = cast_to(random_tensor({4, 4}), DType::kFloat16);
  expect_error(ErrorKind::kUnsupported, "alpha must be 1", [&] {
    run_op({"Gemm", 1, {{"alpha", 2.f}}, "linnet"}, {random_tensor({4, 4}), half});
  });
  expect_error(ErrorKind::kUnsupported, "input W of float16 must be constant", [&] {
    run_op({"Conv", 1, {}, "linnet"}, {random_tensor({1, 3, 3, 4}), half.reshaped({4, 4, 1, 1})});
  });
  expect_error(ErrorKind::kUnsupported, "input B of float16 must be constant", [&] {
    run_op(kMatMul, {random_tensor({4, 4}), half});
  });
  expect_error(ErrorKind::kType, "input B", [&] {
    run_op(kMatMul, {random_tensor({4, 4}), cast_to(half, DType::kFloat64)});
  });
  expect_error(ErrorKind::kType, "inputs A and B", [&] { run_op({"MatMul"}, {random_tensor({4, 4}), half}); });
}

}  // namespace
}  // namespace linnet::testing
