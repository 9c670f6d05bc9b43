#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

GraphBuilder einsum(const std::string& equation, const std::vector<Fact>& operands) {
  GraphBuilder b;
  std::vector<ValueId> inputs;
  for (const Fact& operand : operands) inputs.push_back(b.input("x" + std::to_string(inputs.size()), operand));
  b.output(b.op("Tanh", {b.op("Einsum", inputs, {{"equation", equation}})}));
  return b;
}

GraphBuilder einsum(const std::string& equation, const std::vector<Shape>& shapes) {
  std::vector<Fact> facts;
  for (const Shape& shape : shapes) facts.emplace_back(DType::kFloat32, shape);
  return einsum(equation, facts);
}

void expect_einsum_ops(const std::string& equation, const std::vector<Shape>& shapes, const std::string& ops) {
  const GraphBuilder b = einsum(equation, shapes);
  EXPECT_EQ(optimized_ops(b), ops) << equation;
  std::vector<Tensor> values;
  for (const Shape& shape : shapes) values.push_back(random_tensor(shape, unsigned(values.size())));
  expect_unchanged(b, values);
}

TEST(ConvertEinsumToMatMul, ProjectionsToHeads) {
  expect_einsum_ops("abc,cde->abde", {{2, 3, 8}, {8, 4, 5}}, "Reshape MatMul Reshape Tanh");
  expect_einsum_ops("abcd,cde->abe", {{2, 3, 4, 5}, {4, 5, 8}}, "Reshape Reshape +MatMul");
}

TEST(ConvertEinsumToMatMul, ScoresAndValuesOfHeads) {
  expect_einsum_ops("aecd,abcd->acbe", {{2, 6, 4, 5}, {2, 3, 4, 5}}, "Transpose Transpose +MatMul");
  expect_einsum_ops("acbe,aecd->abcd", {{2, 4, 3, 6}, {2, 6, 4, 5}}, "Transpose MatMul Transpose Tanh");
}

TEST(ConvertEinsumToMatMul, AxesWithoutAPartner) {
  expect_einsum_ops("bi,bi->b", {{3, 7}, {3, 7}}, "Reshape Reshape MatMul Reshape Tanh");
  expect_einsum_ops("i,ij->j", {{7}, {7, 5}}, "Transpose Reshape MatMul Reshape Tanh");
  expect_einsum_ops("ij,j->i", {{4, 7}, {7}}, "Reshape MatMul Reshape Tanh");
  expect_einsum_ops("ijk,kj->i", {{4, 7, 2}, {2, 7}}, "Reshape Transpose Reshape MatMul Reshape Tanh");
  expect_einsum_ops("...ij,...jk->...ik", {{2, 3, 4, 5}, {2, 3, 5, 6}}, "+MatMul");
  expect_einsum_ops("ij,kj->ki", {{4, 7}, {5, 7}}, "Transpose +MatMul");
}

TEST(ConvertEinsumToMatMul, WhereDimsAreOpenRowsStayAsTheyAre) {
  const Dims x{Dim("batch"), Dim("length"), Dim(8)};
  EXPECT_EQ(optimized_ops(einsum("abc,cde->abde", {Fact(DType::kFloat32, x), Fact(DType::kFloat32, Shape{8, 4, 5})})),
            "Reshape MatMul Reshape Tanh");
}

TEST(ConvertEinsumToMatMul, NotWhereOpenDimsWouldMerge) {
  const Fact x(DType::kFloat32, Dims{Dim("batch"), Dim("length"), Dim(8)});
  EXPECT_EQ(optimized_ops(einsum("abc,abd->cd", {x, x})), "Einsum Tanh");
}

void expect_einsum_kept(const std::string& equation, const std::vector<Shape>& shapes) {
  expect_einsum_ops(equation, shapes, "Einsum Tanh");
}

TEST(ConvertEinsumToMatMul, BroadcastsWhatCountsTheMatrices) {
  expect_einsum_ops("bij,bjk->bik", {{2, 3, 4}, {1, 4, 5}}, "+MatMul");
  expect_einsum_ops("...ij,...jk->...ik", {{2, 1, 3, 4}, {1, 6, 4, 5}}, "+MatMul");
}

TEST(ConvertEinsumToMatMul, NotWhereASummedDimIsBroadcast) { expect_einsum_kept("ij,jk->ik", {{3, 1}, {4, 5}}); }

TEST(ConvertEinsumToMatMul, MultipliesIntegers) {
  const Fact x(DType::kInt32, Shape{2, 2});
  GraphBuilder b;
  b.output(b.op("Neg", {b.op("Einsum", {b.input("a", x), b.input("b", x)}, {{"equation", std::string("ij,jk->ik")}})}));
  EXPECT_EQ(optimized_ops(b), "MatMul Neg");
  expect_unchanged(b, {Tensor::of(Shape{2, 2}, std::vector<int32_t>{1 << 30, 3, -5, 7}),
                       Tensor::of(Shape{2, 2}, std::vector<int32_t>{9, 8, 7, 6})});
}

TEST(ConvertEinsumToMul, Transposes) {
  expect_einsum_ops("ij->ji", {{2, 3}}, "Transpose Tanh");
  expect_einsum_ops("ij->ij", {{2, 3}}, "Tanh");
}

TEST(ConvertEinsumToMul, MultipliesOuterProductsAndElements) {
  expect_einsum_ops("i,j->ij", {{2}, {3}}, "Unsqueeze Unsqueeze Mul Tanh");
  expect_einsum_ops("ij,j->ij", {{2, 3}, {3}}, "Unsqueeze Mul Tanh");
  expect_einsum_ops("ij,ji->ij", {{2, 3}, {3, 2}}, "Transpose Mul Tanh");
  expect_einsum_ops("aij,bj->biaj", {{2, 3, 4}, {5, 1}}, "Unsqueeze Transpose Unsqueeze Mul Tanh");
}

// Inputs whose dims have one name may have two sizes.
TEST(ConvertEinsumToMul, WaitsForOpenDims) {
  const Fact x(DType::kFloat32, Dims{Dim("batch"), Dim("length")}), y(DType::kFloat32, Shape{2, 3});
  EXPECT_EQ(optimized_ops(einsum("ij,ij->ij", {x, x})), "Einsum Tanh");
  EXPECT_EQ(optimized_ops(einsum("ij,ij->ij", {y, y})), "Mul Tanh");
}

TEST(SplitEinsum, SumsUpWhatOneOperandHasAlone) {
  expect_einsum_ops("ij->", {{2, 3}}, "ReduceSum Tanh");
  expect_einsum_ops("ijk->kj", {{2, 3, 4}}, "ReduceSum Transpose Tanh");
  expect_einsum_ops("ijl,jk->ik", {{2, 3, 5}, {3, 4}}, "ReduceSum +MatMul");
  expect_einsum_ops("ij,kl->", {{2, 3}, {4, 5}}, "ReduceSum ReduceSum Mul Tanh");
}

TEST(SplitEinsum, TakesDiagonalsFirst) {
  expect_einsum_ops("iij,jk->ik", {{3, 3, 2}, {2, 4}}, "Einsum +MatMul");
  expect_einsum_ops("ii->", {{3, 3}}, "Einsum ReduceSum Tanh");
  expect_einsum_kept("iji->ji", {{3, 2, 3}});
}

TEST(SplitEinsum, MultipliesOperandsInPairs) {
  expect_einsum_ops("ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}}, "MatMul +MatMul");
  expect_einsum_ops("bhqd,bhkd,bhkv,q->bhqv", {{1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}, {3}},
                    "Transpose Unsqueeze Mul Transpose Transpose MatMul +MatMul");
  std::string equation = "ab";
  std::vector<Shape> shapes{{3, 3}};
  for (char c = 'b'; c < 'l'; ++c) {
    equation += std::string(",") + c + char(c + 1);
    shapes.push_back({3, 3});
  }
  expect_einsum_ops(equation + "->al", shapes,
                    "MatMul MatMul MatMul MatMul MatMul MatMul MatMul MatMul MatMul +MatMul");
}

TEST(SplitEinsum, ChoosesTheOrderOfFewestMultiplications) {
  const GraphBuilder b = einsum("ij,jk,kl->il", std::vector<Shape>{{40, 2}, {2, 40}, {40, 2}});
  const Model model = b.model();
  const Graph& graph = model_graph(model);
  for (const NodeId id : graph.nodes()) {
    for (const ValueId value : graph.node(id).outputs) {
      EXPECT_LE(graph.fact(value).shape().elements(), 80) << graph.node(id).spec.describe();
    }
  }
}

TEST(SplitEinsum, NotOfBytes) {
  const Fact x(DType::kInt8, Shape{2, 3});
  GraphBuilder b;
  b.output(b.op("Neg", {b.op("Einsum", {b.input("x", x)}, {{"equation", std::string("ij->i")}})}));
  EXPECT_EQ(optimized_ops(b), "Einsum Neg");
}

TEST(SplitEinsum, NotOfEmptyTensors) {
  EXPECT_EQ(optimized_ops(einsum("ij,jk->ik", std::vector<Shape>{{2, 0}, {0, 4}})), "Einsum Tanh");
}

TEST(SplitEinsum, NotOfMoreOperandsThanOrdersAreSoughtFor) {
  std::string equation = "a";
  std::vector<Shape> shapes(66, Shape{2});
  for (size_t k = 1; k < shapes.size(); ++k) equation += ",a";
  expect_einsum_kept(equation + "->a", shapes);
}

}  // namespace
}  // namespace linnet::testing
