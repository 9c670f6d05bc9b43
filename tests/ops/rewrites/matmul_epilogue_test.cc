#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Shape kLeft{2, 3, 4, 6};

ValueId matmul(GraphBuilder& b, ValueId x, int64_t in, int64_t out, unsigned seed = 1) {
  return b.op("MatMul", {x, b.constant(random_tensor({in, out}, seed))});
}

ValueId values(GraphBuilder& b, const Shape& shape, unsigned seed = 9) {
  return b.constant(random_tensor(shape, seed));
}

TEST(MatMulEpilogue, TakesBiasActivationLayerScaleAndResidual) {
  GraphBuilder b(20);
  const ValueId x = b.input("x", kLeft);
  ValueId y = b.op("Gelu", {b.op("Add", {values(b, {8}), matmul(b, x, 6, 8)})});
  y = b.op("Add", {matmul(b, y, 8, 6, 2), values(b, {1, 1, 6}, 3)});
  y = b.op("Mul", {values(b, {6}, 4), y});
  b.output(b.op("Add", {y, x}));
  EXPECT_EQ(optimized_ops(b), "+MatMul +MatMul");
  expect_unchanged(b, {random_tensor(kLeft)});
}

TEST(MatMulEpilogue, ABiasLeavesTheWeightsAsTheyAre) {
  GraphBuilder b;
  const ValueId w = values(b, {6, 8});
  b.output(b.op("Add", {b.op("MatMul", {b.input("x", kLeft), w}), values(b, {8})}));
  const Model model = b.model();
  EXPECT_EQ(model_graph(model).node(model_graph(model).nodes()[0]).inputs[1], w);
}

TEST(MatMulEpilogue, LayerScaleOnTheChannelsFirstSideFolds) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2, 3, 5, 7});
  const auto transposed = [&](ValueId v, std::vector<int64_t> perm) {
    return b.op("Transpose", {v}, {{"perm", perm}});
  };
  const ValueId conv = b.op("Conv", {x, values(b, {4, 3, 1, 1})});
  const ValueId y = matmul(b, transposed(conv, {0, 2, 3, 1}), 4, 4);
  const ValueId scaled = b.op("Mul", {values(b, {4, 1, 1}, 5), transposed(y, {0, 3, 1, 2})});
  b.output(b.op("Add", {scaled, conv}));
  EXPECT_EQ(optimized_ops(b), "Transpose +Conv +MatMul Transpose");
  expect_unchanged(b, {random_tensor({2, 3, 5, 7})});
}

TEST(MatMulEpilogue, OfTwoComputedMatricesTakesResidualAndActivation) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2, 5, 6}), y = b.input("y", Shape{2, 6, 4}), z = b.input("z", Shape{2, 5, 4});
  b.output(b.op("Relu", {b.op("Add", {z, b.op("MatMul", {x, y})})}));
  EXPECT_EQ(optimized_ops(b), "+MatMul");
  expect_unchanged(b, {random_tensor({2, 5, 6}, 1), random_tensor({2, 6, 4}, 2), random_tensor({2, 5, 4}, 3)});
}

TEST(MatMulEpilogue, GemmTakesAnActivation) {
  GraphBuilder b;
  const ValueId y = b.op("Gemm", {b.input("x", Shape{3, 6}), values(b, {8, 6}), values(b, {8})},
                         {{"transB", int64_t{1}}, {"alpha", 0.5f}, {"beta", 2.f}});
  b.output(b.op("Relu", {y}));
  EXPECT_EQ(optimized_ops(b), "+Gemm");
  expect_unchanged(b, {random_tensor({3, 6})});
}

/// Returns Relu(Gemm(x [3, 6], w, c) + z).
GraphBuilder gemm_with_residual(const Attributes& attributes, const Tensor& w, const Tensor& c = {}) {
  GraphBuilder b;
  std::vector<ValueId> inputs{b.input("x", Shape{3, 6}), b.constant(w)};
  if (c) inputs.push_back(b.constant(c));
  b.output(b.op("Relu", {b.op("Add", {b.op("Gemm", inputs, attributes), b.input("z", Shape{3, 8})})}));
  return b;
}

TEST(MatMulEpilogue, AGemmWithAResidualIsAMatMul) {
  const std::vector<Tensor> inputs{random_tensor({3, 6}), random_tensor({3, 8}, 2)};
  for (const Tensor& c : {Tensor(), random_tensor({8}, 3)}) {
    for (const auto& b : {gemm_with_residual({}, random_tensor({6, 8}), c),
                          gemm_with_residual({{"transB", int64_t{1}}}, random_tensor({8, 6}), c)}) {
      EXPECT_EQ(optimized_ops(b), "+MatMul");
      expect_unchanged(b, inputs);
    }
  }
}

TEST(MatMulEpilogue, AGemmThatDoesMoreTakesNoResidual) {
  const Tensor w = random_tensor({6, 8}), c = random_tensor({8}, 3);
  for (const auto& b :
       {gemm_with_residual({{"alpha", 0.5f}}, w), gemm_with_residual({{"beta", 0.5f}}, w, c),
        gemm_with_residual({}, w, random_tensor({1}, 3)), gemm_with_residual({}, w, random_tensor({3, 8}, 3)),
        gemm_with_residual({}, w, random_tensor({1, 8}, 3))}) {
    EXPECT_EQ(optimized_ops(b).substr(0, 4), "Gemm");
    expect_unchanged(b, {random_tensor({3, 6}), random_tensor({3, 8}, 2)});
  }
  GraphBuilder transposed;
  const ValueId y =
      transposed.op("Gemm", {transposed.input("x", Shape{6, 3}), transposed.constant(w)}, {{"transA", int64_t{1}}});
  transposed.output(transposed.op("Add", {y, transposed.input("z", Shape{3, 8})}));
  EXPECT_EQ(optimized_ops(transposed), "Gemm Add");
}

TEST(MatMulEpilogue, AGemmByAnInputTakesNoResidual) {
  GraphBuilder b;
  const ValueId y = b.op("Gemm", {b.input("x", Shape{3, 6}), b.input("w", Shape{6, 8})});
  b.output(b.op("Add", {y, b.input("z", Shape{3, 8})}));
  EXPECT_EQ(optimized_ops(b), "Gemm Add");
}

TEST(MatMulEpilogue, AGemmByTransposedHalvesKeepsThem) {
  GraphBuilder b;
  const ValueId w = b.constant(cast_to(random_tensor({8, 1024}), DType::kFloat16));
  const Fact x(DType::kFloat16, Shape{3, 1024}), z(DType::kFloat16, Shape{3, 8});
  const ValueId y = b.op("Gemm", {b.input("x", x), w}, {{"transB", int64_t{1}}});
  b.output(b.op("Add", {y, b.input("z", z)}));
  const Model model = b.model();
  ASSERT_EQ(count_ops(model, "MatMul", "linnet"), 1);
  for (const NodeId id : model_graph(model).nodes()) {
    const Node& node = model_graph(model).node(id);
    if (node.spec.op_type != "MatMul") continue;
    EXPECT_EQ(model_graph(model).fact(node.inputs[1]).dtype, DType::kFloat16);
  }
}

TEST(MatMulEpilogue, TakesOneActivation) {
  GraphBuilder b;
  b.output(b.op("Tanh", {b.op("Relu", {matmul(b, b.input("x", kLeft), 6, 8)})}));
  EXPECT_EQ(optimized_ops(b), "+MatMul Tanh");
  expect_unchanged(b, {random_tensor(kLeft)});
}

TEST(MatMulEpilogue, OnlyConstantsOfOneValuePerColumnFold) {
  const auto is_kept = [](const std::string& op, const Shape& shape, const std::string& rest) {
    GraphBuilder b;
    b.output(b.op(op, {matmul(b, b.input("x", kLeft), 6, 8), values(b, shape)}));
    EXPECT_EQ(optimized_ops(b), rest) << shape;
    expect_unchanged(b, {random_tensor(kLeft)});
  };
  is_kept("Mul", {4, 1}, "MatMul Mul");
  is_kept("Add", {3, 1, 8}, "MatMul Add");
  is_kept("Add", {1, 1, 1, 1, 8}, "MatMul Add");
  is_kept("Mul", {8}, "+MatMul");
}

TEST(MatMulEpilogue, TheBiasOfAVectorIsAResidual) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{6}), y = b.input("y", Shape{4, 6});
  b.output(b.op("Add", {matmul(b, x, 6, 8), values(b, {8})}));
  b.output(b.op("Add", {b.op("MatMul", {y, values(b, {6})}), values(b, {4})}));
  EXPECT_EQ(optimized_ops(b), "+MatMul +MatMul");
  expect_unchanged(b, {random_tensor({6}), random_tensor({4, 6})});
}

TEST(MatMulEpilogue, ArithmeticBehindAResidualOrAnActivationStays) {
  GraphBuilder b;
  const ValueId x = b.input("x", kLeft);
  b.output(b.op("Mul", {b.op("Add", {matmul(b, x, 6, 6), x}), values(b, {6})}));
  b.output(b.op("Mul", {b.op("Relu", {matmul(b, x, 6, 6, 2)}), values(b, {6})}));
  EXPECT_EQ(count_ops(b.model(), "Mul"), 2);
  expect_unchanged(b, {random_tensor(kLeft)});
}

TEST(MatMulEpilogue, NotWhereTheProductIsReadElsewhere) {
  GraphBuilder b;
  const ValueId y = matmul(b, b.input("x", kLeft), 6, 8);
  b.output(b.op("Relu", {b.op("Add", {y, values(b, {8})})}));
  b.output(y);
  EXPECT_EQ(optimized_ops(b), "MatMul Add Relu");
}

TEST(MatMulEpilogue, NotInDouble) {
  GraphBuilder b;
  const ValueId w = b.constant(cast_to(random_tensor({6, 8}), DType::kFloat64));
  b.output(b.op("Relu", {b.op("MatMul", {b.input("x", Fact(DType::kFloat64, kLeft)), w})}));
  EXPECT_EQ(optimized_ops(b), "MatMul Relu");
}

}  // namespace
}  // namespace linnet::testing
