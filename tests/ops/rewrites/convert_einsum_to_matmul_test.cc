#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet {
namespace {

using testing::expect_unchanged;
using testing::GraphBuilder;
using testing::optimized_ops;
using testing::random_tensor;

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

void expect_ops(const std::string& equation, const std::vector<Shape>& shapes, const std::string& ops) {
  const GraphBuilder b = einsum(equation, shapes);
  EXPECT_EQ(optimized_ops(b), ops) << equation;
  std::vector<Tensor> values;
  for (const Shape& shape : shapes) values.push_back(random_tensor(shape, unsigned(values.size())));
  expect_unchanged(b, values);
}

TEST(ConvertEinsumToMatMul, ProjectionsToHeads) {
  expect_ops("abc,cde->abde", {{2, 3, 8}, {8, 4, 5}}, "Reshape MatMul Reshape Tanh");
  expect_ops("abcd,cde->abe", {{2, 3, 4, 5}, {4, 5, 8}}, "Reshape Reshape +MatMul");
}

TEST(ConvertEinsumToMatMul, ScoresAndValuesOfHeads) {
  expect_ops("aecd,abcd->acbe", {{2, 6, 4, 5}, {2, 3, 4, 5}}, "Transpose Transpose +MatMul");
  expect_ops("acbe,aecd->abcd", {{2, 4, 3, 6}, {2, 6, 4, 5}}, "Transpose MatMul Transpose Tanh");
}

TEST(ConvertEinsumToMatMul, AxesWithoutAPartner) {
  expect_ops("bi,bi->b", {{3, 7}, {3, 7}}, "Reshape Reshape MatMul Reshape Tanh");
  expect_ops("i,ij->j", {{7}, {7, 5}}, "Transpose Reshape MatMul Reshape Tanh");
  expect_ops("ij,j->i", {{4, 7}, {7}}, "Reshape MatMul Reshape Tanh");
  expect_ops("ijk,kj->i", {{4, 7, 2}, {2, 7}}, "Reshape Transpose Reshape MatMul Reshape Tanh");
  expect_ops("...ij,...jk->...ik", {{2, 3, 4, 5}, {2, 3, 5, 6}}, "+MatMul");
  expect_ops("ij,kj->ki", {{4, 7}, {5, 7}}, "Transpose +MatMul");
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

void expect_kept(const std::string& equation, const std::vector<Shape>& shapes) {
  EXPECT_EQ(optimized_ops(einsum(equation, shapes)), "Einsum Tanh") << equation;
}

TEST(ConvertEinsumToMatMul, NotOfOneOperandOrThree) {
  expect_kept("ij->ji", {{2, 3}});
  expect_kept("ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}});
}

TEST(ConvertEinsumToMatMul, NotWhereNothingIsSummed) { expect_kept("i,j->ij", {{2}, {3}}); }

TEST(ConvertEinsumToMatMul, NotWhereAnOperandIsSummedAlone) { expect_kept("ijl,jk->ik", {{2, 3, 5}, {3, 4}}); }

TEST(ConvertEinsumToMatMul, NotOfADiagonal) { expect_kept("iij,jk->ik", {{2, 2, 3}, {3, 4}}); }

TEST(ConvertEinsumToMatMul, NotWhereADimIsBroadcast) { expect_kept("bij,bjk->bik", {{2, 3, 4}, {1, 4, 5}}); }

TEST(ConvertEinsumToMatMul, NotOfEmptyTensors) { expect_kept("ij,jk->ik", {{2, 0}, {0, 4}}); }

TEST(ConvertEinsumToMatMul, NotOfIntegers) {
  const Fact x(DType::kInt32, Shape{3, 3});
  GraphBuilder b;
  b.output(b.op("Neg", {b.op("Einsum", {b.input("a", x), b.input("b", x)}, {{"equation", std::string("ij,jk->ik")}})}));
  EXPECT_EQ(optimized_ops(b), "Einsum Neg");
}

}  // namespace
}  // namespace linnet
