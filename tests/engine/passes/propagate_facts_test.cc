#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/patch.h"
#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/known_contents.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using ::testing::ElementsAre;

TEST(PropagateFacts, InfersEachValueFromThoseBefore) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 3}));
  const ValueId turned = b.op("Transpose", {x}), product = b.op("MatMul", {x, turned});
  const ValueId halves = b.op("Cast", {product}, {{"to", int64_t(DType::kFloat16)}});
  const Graph graph = propagated(b);
  EXPECT_EQ(str(graph.fact(turned)), "float32[3,N]");
  EXPECT_EQ(str(graph.fact(product)), "float32[N,N]");
  EXPECT_EQ(str(graph.fact(halves)), "float16[N,N]");
}

TEST(PropagateFacts, InfersAgainWhatReadsAnotherFact) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2, 3}), other = b.input("other", Shape{4});
  const ValueId y = b.op("Transpose", {b.op("Abs", {x})}), apart = b.op("Abs", {other});
  Graph graph = propagated(b);
  const auto is_inferred = [&](ValueId v) { return graph.is_inferred(graph.producer(v)->id); };
  graph.set_fact(x, Fact(DType::kFloat32, Shape{2, 3}));
  EXPECT_TRUE(is_inferred(graph.producer(y)->inputs[0]));
  graph.set_fact(x, Fact(DType::kFloat32, Shape{5, 7}));
  EXPECT_FALSE(is_inferred(graph.producer(y)->inputs[0]));
  EXPECT_TRUE(is_inferred(y) && is_inferred(apart));
  propagate_facts(graph, *std::make_shared<ModelResources>());
  EXPECT_EQ(str(graph.fact(y)), "float32[7,5]");
}

TEST(PropagateFacts, InfersAgainWhatReadsAnotherValue) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2, 3}), other = b.input("other", Shape{5, 7});
  const ValueId y = b.op("Transpose", {x});
  Graph graph = propagated(b);
  Patch patch(graph);
  patch.replace(x, other);
  EXPECT_THROW(patch.apply(graph), Error);
  EXPECT_TRUE(graph.is_inferred(graph.producer(y)->id));
  graph.set_fact(other, Fact(DType::kFloat32, Dims{2, Dim("N")}));
  patch.apply(graph);
  EXPECT_FALSE(graph.is_inferred(graph.producer(y)->id));
}

TEST(PropagateFacts, ComputesShapeArithmetic) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{4, 3, Dim("W")}));
  const ValueId channels = b.op("Shape", {x}, {{"start", int64_t{0}}, {"end", int64_t{2}}});
  const ValueId elements = b.op("ReduceProd", {channels});
  const ValueId target = b.op("Concat", {elements, b.constant(Tensor::of<int64_t>({1}, {-1}))}, {{"axis", int64_t{0}}});
  const ValueId y = b.op("Reshape", {x, target});
  const Graph graph = propagated(b);
  EXPECT_THAT(graph.fact(target).constant.values<int64_t>(), ElementsAre(12, -1));
  EXPECT_EQ(graph.fact(y).dim(0).value(), 12);
}

TEST(PropagateFacts, ComputesNothingThatIsToDifferFromRunToRun) {
  GraphBuilder b;
  const ValueId y = b.op("RandomNormal", {}, {{"shape", std::vector<int64_t>{2}}});
  const Graph graph = propagated(b);
  EXPECT_EQ(str(graph.fact(y)), "float32[2]");
  EXPECT_FALSE(graph.fact(y).constant);
}

TEST(PropagateFacts, ComputesNoConstantsMuchLargerThanWhatTheyAreMadeOf) {
  GraphBuilder b;
  const ValueId one = b.constant(Tensor::scalar(1.f));
  const auto expanded = [&](int64_t n) { return b.op("Expand", {one, b.constant(Tensor::of<int64_t>({1}, {n}))}); };
  const ValueId small = expanded(1 << 18), large = expanded((1 << 18) + 1);
  const Graph graph = propagated(b);
  EXPECT_TRUE(graph.fact(small).constant);
  EXPECT_FALSE(graph.fact(large).constant);
  EXPECT_EQ(str(graph.fact(large)), "float32[262145]");
}

TEST(PropagateFacts, ErrorsNameTheNode) {
  GraphBuilder b;
  b.op("MatMul", {b.input("x", Shape{2, 3}), b.input("y", Shape{4, 5})});
  expect_error(ErrorKind::kShape, "MatMul 'MatMul1' (opset 17): ", [&] { propagated(b); });
}

TEST(PropagateFacts, ErrorsOfConstantsNameTheNode) {
  GraphBuilder b;
  b.op("Reshape", {b.constant(Tensor::of<float>({2}, {1, 2})), b.constant(Tensor::of<int64_t>({1}, {3}))});
  expect_error(ErrorKind::kShape, "Reshape 'Reshape", [&] { propagated(b); });
}

}  // namespace
}  // namespace linnet::testing
