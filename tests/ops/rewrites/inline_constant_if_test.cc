#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using GraphPtr = std::shared_ptr<const Graph>;

const Shape kCaptured{2, 3};

/// Returns a branch with two captures and two outputs: their sum plus a constant, and the second capture unchanged.
GraphPtr branch(const std::string& op) {
  GraphBuilder b;
  const ValueId x = b.input("x", kCaptured), y = b.input("y", kCaptured);
  b.output(b.op(op, {b.op("Add", {x, y}), b.constant(random_tensor({3}, 7))}));
  b.output(y);
  return b.shared();
}

std::vector<ValueId> add_if(GraphBuilder& b, ValueId cond, ValueId x, ValueId y) {
  return b.ops("If", {cond, x, y}, 2, {{"then_branch", branch("Mul")}, {"else_branch", branch("Sub")}}, "", 2);
}

TEST(InlineConstantIf, TheBranchTakenTakesItsPlace) {
  for (const bool cond : {true, false}) {
    GraphBuilder b;
    const ValueId x = b.input("x", kCaptured), y = b.input("y", kCaptured);
    const auto z = add_if(b, b.constant(Tensor::scalar(cond)), b.op("Neg", {x}), b.op("Abs", {y}));
    b.output(b.op("Exp", {z[0]}));
    b.output(b.op("Log", {z[1]}));
    const std::string ops = optimized_ops(b);
    EXPECT_EQ(ops.find("If"), std::string::npos) << ops;
    EXPECT_NE(ops.find(cond ? "Mul" : "Sub"), std::string::npos) << ops;
    EXPECT_EQ(ops.find("Identity"), std::string::npos) << ops;
    expect_unchanged(b, {random_tensor(kCaptured, 1), random_tensor(kCaptured, 2)});
  }
}

TEST(InlineConstantIf, OutputsOfTheGraphAreKept) {
  GraphBuilder b;
  const ValueId x = b.input("x", kCaptured), y = b.input("y", kCaptured);
  for (const ValueId z : add_if(b, b.constant(Tensor::scalar(true)), x, y)) b.output(z);
  EXPECT_EQ(count_ops(b.model(), "If"), 0);
  EXPECT_EQ(count_ops(b.model(), "Identity"), 1);
  expect_unchanged(b, {random_tensor(kCaptured, 1), random_tensor(kCaptured, 2)});
}

TEST(InlineConstantIf, ACondThatFollowsFromTheShapesIsKnownToThePlan) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), Dim(3)})), y = b.input("y", kCaptured);
  const ValueId cond = b.op("Greater", {b.op("Size", {x}), b.constant(Tensor::scalar(int64_t{3}))});
  b.output(add_if(b, cond, x, y)[0]);
  expect_unchanged(b, {random_tensor(kCaptured, 1), random_tensor(kCaptured, 2)});
}

TEST(InlineConstantIf, NotWhereTheCondIsComputed) {
  GraphBuilder b;
  const ValueId cond = b.input("cond", Fact(DType::kBool, Shape{}));
  const ValueId x = b.input("x", kCaptured), y = b.input("y", kCaptured);
  b.output(add_if(b, cond, x, y)[0]);
  EXPECT_EQ(optimized_ops(b), "If");
  expect_unchanged(b, {Tensor::scalar(true), random_tensor(kCaptured, 1), random_tensor(kCaptured, 2)});
}

}  // namespace
}  // namespace linnet::testing
