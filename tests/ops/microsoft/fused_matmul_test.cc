#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_expanded.h"

namespace linnet::testing::fused_matmul {
namespace {

constexpr int64_t kBatch = 2, kM = 3, kK = 4, kN = 5;

/// The layout of an operand of [batch, rows, columns] by the attributes.
struct Order {
  bool batch, matrix;

  Shape shape(int64_t rows, int64_t columns) const {
    if (matrix) std::swap(rows, columns);
    return batch ? Shape{rows, kBatch, columns} : Shape{kBatch, rows, columns};
  }
  double at(const Tensor& x, int64_t b, int64_t row, int64_t column) const {
    if (matrix) std::swap(row, column);
    const int64_t first = batch ? row * kBatch + b : b * x.dim(1) + row;
    return double(x.data<float>()[first * x.dim(2) + column]);
  }
};

Tensor expected(const Order& of_a, const Order& of_b, const Tensor& a, const Tensor& b, double alpha) {
  Tensor y(DType::kFloat32, {kBatch, kM, kN});
  for (int64_t i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (int64_t k = 0; k < kK; ++k) {
      sum += of_a.at(a, i / (kM * kN), i / kN % kM, k) * of_b.at(b, i / (kM * kN), k, i % kN);
    }
    y.data<float>()[i] = float(alpha * sum);
  }
  return y;
}

constexpr Order kOrders[] = {{false, false}, {false, true}, {true, false}, {true, true}};

TEST(FusedMatMul, MultipliesOperandsInEveryOrder) {
  for (const Order& of_a : kOrders) {
    for (const Order& of_b : kOrders) {
      const Tensor a = random_tensor(of_a.shape(kM, kK), 1), b = random_tensor(of_b.shape(kK, kN), 2);
      const Attributes attributes{{"transBatchA", int64_t{of_a.batch}},
                                  {"transA", int64_t{of_a.matrix}},
                                  {"transBatchB", int64_t{of_b.batch}},
                                  {"transB", int64_t{of_b.matrix}},
                                  {"alpha", 0.75f}};
      expect_close(run_expanded("FusedMatMul", attributes, {a, b})[0], expected(of_a, of_b, a, b, 0.75), 1e-5, 1e-5);
    }
  }
}

TEST(FusedMatMul, VectorsStayAsTheyAre) {
  const Tensor a = Tensor::of<float>({1, 2, 3}), b = Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_close(run_expanded("TransposeMatMul", {{"transA", int64_t{1}}}, {a, b})[0], Tensor::of<float>({22, 28}));
}

TEST(FusedMatMul, AppliesAFunction) {
  const Tensor a = random_tensor({kM, kK}, 1), b = random_tensor({kK, kN}, 2);
  const Tensor product = run_op({"MatMul", 13}, {a, b})[0];
  const Attributes leaky{{"activation", std::string("LeakyRelu")}, {"activation_alpha", 0.5f}};
  expect_close(run_expanded("FusedMatMulActivation", leaky, {a, b})[0],
               run_op({"LeakyRelu", 16, {{"alpha", 0.5f}}}, {product})[0], 1e-6, 1e-6);
  const Attributes softmax{{"activation", std::string("Softmax")}, {"activation_axis", int64_t{0}}};
  expect_close(run_expanded("FusedMatMulActivation", softmax, {a, b})[0],
               run_op({"Softmax", 13, {{"axis", int64_t{0}}}}, {product})[0], 1e-6, 1e-6);
}

TEST(FusedMatMul, ScaleOfConstantWeightsIsFolded) {
  GraphBuilder b;
  b.output(b.op("FusedMatMul", {b.input("x", Shape{kM, kK}), b.constant(random_tensor({kN, kK}))},
                {{"transB", int64_t{1}}, {"alpha", 0.5f}}, "com.microsoft"));
  EXPECT_EQ(optimized_ops(b), "+MatMul");
}

TEST(FusedMatMul, RefusesWhatDoesNotFit) {
  const OpCase op{"FusedMatMul", 1, {}, "com.microsoft"};
  const Tensor a = random_tensor({kM, kK});
  expect_error(ErrorKind::kType, "A and B", [&] { run_op(op, {a, cast_to(a, DType::kFloat64)}); });
  expect_error(ErrorKind::kType, "A", [&] { run_op(op, {Tensor::of<int32_t>({1}), a}); });
  const OpCase unknown{"FusedMatMulActivation", 1, {{"activation", std::string("Add")}}, "com.microsoft"};
  expect_error(ErrorKind::kModel, "'Add'", [&] { run_op(unknown, {a, a}); });
}

}  // namespace
}  // namespace linnet::testing::fused_matmul
