#include <gtest/gtest.h>

#include "functions/function_table.h"
#include "run/model_graph.h"
#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Returns the number of nodes of the optimised graph if all are chains, else -1.
int chains(const GraphBuilder& b) {
  const Model model = b.model();
  const int count = count_ops(model, "Elementwise", "linnet");
  return count == int(model_graph(model).nodes().size()) ? count : -1;
}

/// Expects the graph's outputs to be the same bits with the rewrite and without.
void expect_identical(const GraphBuilder& b, const std::vector<Tensor>& inputs) {
  ModelOptions without;
  without.disabled_rewrites = {"fuse_elementwise"};
  const std::vector<Tensor> want = run_model(b.model(without), inputs);
  for (const int threads : {1, 3}) {
    const std::vector<Tensor> got = run_model(b.model(), inputs, threads);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(identical(got[i], want[i]));
  }
}

TEST(FuseElementwise, AChainOfOperatorsBecomesOne) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{3, 5, 700}), y = b.input("y", Shape{3, 5, 700});
  const ValueId scaled = b.op("Mul", {b.op("Exp", {b.op("Neg", {x})}), b.constant(random_tensor({700}, 3))});
  const ValueId sum = b.op("Add", {b.op("Div", {y, b.constant(random_tensor({5, 1}, 4))}), scaled});
  b.output(b.op("Clip", {b.op("LeakyRelu", {sum}, {{"alpha", 0.5f}}), b.constant(Tensor::scalar(-1.f))}));
  EXPECT_EQ(chains(b), 1);
  expect_identical(b, {random_tensor({3, 5, 700}, 1), random_tensor({3, 5, 700}, 2)});
}

// function_table_test.cc tests that every unary function is a link.
TEST(FuseElementwise, EveryBinaryFunctionIsALink) {
  for (const BinaryFunction& f : binary_functions()) {
    GraphBuilder b;
    const ValueId x = b.input("x", Shape{30, 40}), y = b.input("y", Shape{40});
    b.output(b.op(std::string(f.name), {b.op("Neg", {x}), y}));
    EXPECT_EQ(chains(b), 1) << f.name;
    expect_identical(b, {random_tensor({30, 40}, 1), random_tensor({40}, 2)});
  }
}

// The lowering of halves adds Casts around float32 computations. They are links too.
TEST(FuseElementwise, HalvesAreWidenedAndRoundedInAChain) {
  for (const DType half : {DType::kFloat16, DType::kBFloat16}) {
    GraphBuilder b;
    const ValueId x = b.input("x", Fact(half, Shape{3, 700})), y = b.input("y", Fact(half, Shape{3, 700}));
    b.output(b.op("Mul", {b.op("Max", {b.op("Sign", {x}), y}), b.constant(cast_to(random_tensor({700}, 3), half))}));
    b.output(b.op("Exp", {y}));
    const Tensor one = cast_to(random_tensor({3, 700}, 1), half), other = cast_to(random_tensor({3, 700}, 2), half);
    EXPECT_EQ(count_ops(b.model(), "Elementwise", "linnet"), 2);
    expect_identical(b, {one, other});
    EXPECT_EQ(run_model(b.model(), {one, other})[0].dtype(), half);

    GraphBuilder single;
    single.output(single.op("Sqrt", {single.input("x", Fact(half, Shape{1700}))}));
    EXPECT_EQ(chains(single), 1);
    expect_identical(single, {cast_to(random_tensor({1700}, 4), half)});
  }
}

TEST(FuseElementwise, OneHalfForAllElementsIsRepeated) {
  const OpCase op{"Elementwise",
                  17,
                  {{"ops", std::vector<std::string>{"Widen", "Neg", "RoundToBFloat16"}},
                   {"first", std::vector<int64_t>{0, 1, 2}},
                   {"second", std::vector<int64_t>{-1, -1, -1}},
                   {"alpha", std::vector<float>(3)},
                   {"beta", std::vector<float>(3)}},
                  "linnet"};
  const Tensor x = cast_to(random_tensor({1}), DType::kFloat16);
  expect_close(run_op(op, {x})[0], cast_to(run_op({"Neg", 13}, {x})[0], DType::kBFloat16));
  expect_error(ErrorKind::kType, "does not take float32", [&] { run_op(op, {random_tensor({1})}); });
}

TEST(FuseElementwise, MaxAndMinOfThreeInputsStay) {
  for (const char* op : {"Max", "Min"}) {
    GraphBuilder b;
    const ValueId x = b.input("x", Shape{30, 40}), y = b.input("y", Shape{40}), z = b.input("z", Shape{30, 40});
    b.output(b.op(op, {b.op("Exp", {x}), y, z}));
    EXPECT_EQ(count_ops(model_graph(b.model()), op), 1);
  }
}

TEST(FuseElementwise, OneInputMayServeSeveralLinks) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{40}), y = b.input("y", Shape{1});
  b.output(b.op("Sub", {b.op("Mul", {b.op("Add", {x, y}), x}), y}));
  EXPECT_EQ(chains(b), 1);
  expect_identical(b, {random_tensor({40}, 1), random_tensor({1}, 2)});
}

TEST(FuseElementwise, ChainsEndAtTheirLargestLength) {
  GraphBuilder b;
  ValueId x = b.input("x", Shape{40});
  for (int i = 0; i < 30; ++i) x = b.op(i % 2 ? "Sin" : "Cos", {x});
  b.output(x);
  EXPECT_EQ(chains(b), 2);
  expect_identical(b, {random_tensor({40})});
}

TEST(FuseElementwise, AResultThatIsReadElsewhereStays) {
  GraphBuilder b;
  const ValueId y = b.op("Neg", {b.input("x", Shape{40})});
  b.output(b.op("Exp", {y}));
  b.output(b.op("ReduceSum", {y}));
  EXPECT_EQ(count_ops(b.model(), "Elementwise", "linnet"), 0);
}

TEST(FuseElementwise, ASmallerResultIsNotComputedAgainAndAgain) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{30, 40}), row = b.input("row", Shape{40});
  b.output(b.op("Add", {x, b.op("Exp", {row})}));
  EXPECT_EQ(count_ops(b.model(), "Elementwise", "linnet"), 0);
}

TEST(FuseElementwise, OtherTypesStay) {
  GraphBuilder b;
  b.output(b.op("Neg", {b.op("Abs", {b.input("x", Fact(DType::kFloat64, Shape{40}))})}));
  EXPECT_EQ(count_ops(b.model(), "Elementwise", "linnet"), 0);
}

TEST(FuseElementwise, UnknownDimsStayUntilTheyAreKnown) {
  GraphBuilder b;
  b.output(b.op("Neg", {b.op("Abs", {b.input("x", Fact(DType::kFloat32, Dims{Dim("N")}))})}));
  EXPECT_EQ(count_ops(b.model(), "Elementwise", "linnet"), 0);
  expect_identical(b, {random_tensor({40})});
}

TEST(FuseElementwise, AClipWhoseBoundsAreNotKnownStays) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{40}), low = b.input("low", Shape{});
  b.output(b.op("Clip", {b.op("Neg", {x}), low}));
  EXPECT_EQ(count_ops(b.model(), "Elementwise", "linnet"), 0);
}

TEST(Elementwise, RefusesLinksThatDoNotFit) {
  const auto run = [](const std::string& op, int64_t first, int64_t second, size_t alphas = 1) {
    const OpCase chain{"Elementwise",
                       1,
                       {{"ops", std::vector<std::string>{op}},
                        {"first", std::vector<int64_t>{first}},
                        {"second", std::vector<int64_t>{second}},
                        {"alpha", std::vector<float>(alphas)},
                        {"beta", std::vector<float>(1)}},
                       "linnet"};
    return [=] { run_op(chain, {random_tensor({4})}); };
  };
  run("Neg", 0, -1)();
  expect_error(ErrorKind::kModel, "cannot hold 'Gather'", run("Gather", 0, -1));
  expect_error(ErrorKind::kModel, "operands", run("Neg", 1, -1));
  expect_error(ErrorKind::kModel, "operands", run("Add", 0, -1));
  expect_error(ErrorKind::kModel, "operands", run("Neg", 0, 0));
  expect_error(ErrorKind::kModel, "alpha", run("Neg", 0, -1, 2));
}

}  // namespace
}  // namespace linnet::testing
