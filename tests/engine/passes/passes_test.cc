#include "passes/passes.h"

#include <gtest/gtest.h>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const auto kResources = std::make_shared<ModelResources>();
const Tensor kValues = Tensor::of<float>({1, -2, 3});

Graph inferred(const GraphBuilder& b) {
  Graph graph = b.graph();
  propagate_facts(graph, *kResources);
  return graph;
}

TEST(PropagateFacts, InfersShapesWithSymbolsFromTheInputs) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 2, 3}));
  const ValueId y = b.op("Transpose", {x}, {{"perm", std::vector<int64_t>{2, 0, 1}}});
  EXPECT_EQ(str(inferred(b).fact(y)), "float32[3,N,2]");
}

TEST(PropagateFacts, ComputesWhatDependsOnConstantsOnly) {
  GraphBuilder b;
  const ValueId y = b.op("Abs", {b.op("Neg", {b.constant(kValues)})});
  const ValueId of_input = b.op("Neg", {b.input("x", Shape{3})});
  const Graph graph = inferred(b);
  expect_close(graph.fact(y).constant, Tensor::of<float>({1, 2, 3}));
  EXPECT_FALSE(graph.fact(of_input).constant);
}

TEST(PropagateFacts, KnowsShapesOfInputsWhoseDimsAreNumbers) {
  GraphBuilder b;
  const ValueId known = b.op("Shape", {b.input("x", Shape{4, 5})});
  const ValueId open = b.op("Shape", {b.input("y", Fact(DType::kFloat32, Dims{Dim("N"), 5}))});
  const Graph graph = inferred(b);
  expect_close(graph.fact(known).constant, Tensor::of<int64_t>({4, 5}));
  EXPECT_FALSE(graph.fact(open).constant);
}

TEST(FoldConstants, ReplacesNodesByTheirValues) {
  GraphBuilder b;
  const ValueId c = b.op("Neg", {b.constant(kValues)});
  b.output(b.op("Add", {b.input("x", Shape{3}), c}));
  Graph graph = inferred(b);
  EXPECT_TRUE(fold_constants(graph));
  EXPECT_EQ(count_ops(graph, "Neg"), 0);
  const Tensor* folded = graph.constant_input(graph.node(graph.nodes()[0]), 1);
  ASSERT_NE(folded, nullptr);
  expect_close(*folded, Tensor::of<float>({-1, 2, -3}));
  EXPECT_FALSE(fold_constants(graph));
}

TEST(MergeEqualNodes, MergesTheSameOperatorOnTheSameValues) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{3});
  b.output(b.op("Add", {b.op("Neg", {x}), b.op("Neg", {x})}));
  Graph graph = inferred(b);
  EXPECT_TRUE(merge_equal_nodes(graph));
  EXPECT_EQ(count_ops(graph, "Neg"), 1);
  const Node& add = graph.node(graph.nodes().back());
  EXPECT_EQ(add.inputs[0], add.inputs[1]);
  EXPECT_FALSE(merge_equal_nodes(graph));
}

TEST(MergeEqualNodes, KeepsWhatDiffersInAttributesOrInputsOrIsRandom) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{3}), z = b.input("z", Shape{3});
  b.output(b.op("LeakyRelu", {x}, {{"alpha", 0.1f}}));
  b.output(b.op("LeakyRelu", {x}, {{"alpha", 0.2f}}));
  b.output(b.op("LeakyRelu", {z}, {{"alpha", 0.1f}}));
  b.output(b.op("RandomNormalLike", {x}));
  b.output(b.op("RandomNormalLike", {x}));
  Graph graph = inferred(b);
  EXPECT_FALSE(merge_equal_nodes(graph));
  EXPECT_EQ(graph.nodes().size(), 5u);
}

TEST(MergeEqualNodes, MergesConstantsOfEqualContents) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{3});
  b.output(b.op("Add", {x, b.constant(kValues)}));
  b.output(b.op("Add", {x, b.constant(kValues.clone())}));
  b.output(b.op("Add", {x, b.constant(Tensor::of<float>({1, -2, 4}))}));
  Graph graph = inferred(b);
  EXPECT_TRUE(merge_equal_nodes(graph));
  EXPECT_EQ(count_ops(graph, "Add"), 2);
}

TEST(Optimize, LeavesTheGraphAsWrittenAtLevel0) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{3});
  b.output(b.op("Add", {b.op("Neg", {b.constant(kValues)}), b.op("Neg", {x})}));
  b.op("Abs", {x});
  const auto resources = std::make_shared<ModelResources>();
  for (const auto& [level, nodes] : {std::pair{0, 3u}, {1, 2u}}) {
    resources->options.optimization = level;
    Graph graph = b.graph();
    optimize(graph, *resources);
    EXPECT_EQ(graph.nodes().size(), nodes) << level;
  }
}

TEST(OptimizeBodies, FoldsWithinBodies) {
  GraphBuilder body;
  const ValueId v = body.input("v", Shape{3});
  body.output(body.op("Add", {v, body.op("Neg", {body.constant(kValues)})}));
  GraphBuilder b;
  const ValueId condition = b.input("c", Fact(DType::kBool, Shape{})), x = b.input("x", Shape{3});
  b.output(b.ops("If", {condition, x}, 1, {{"then_branch", body.shared()}, {"else_branch", body.shared()}}, {}, 1)[0]);
  Graph graph = inferred(b);
  optimize_bodies(graph, *kResources);
  const NodeSpec& spec = graph.node(graph.nodes()[0]).spec;
  for (const char* branch : {"then_branch", "else_branch"}) {
    EXPECT_EQ(count_ops(*spec.attr<std::shared_ptr<const Graph>>(branch), "Neg"), 0) << branch;
  }
}

}  // namespace
}  // namespace linnet::testing
