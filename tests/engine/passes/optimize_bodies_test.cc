#include <gtest/gtest.h>

#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using GraphPtr = std::shared_ptr<const Graph>;

Graph optimized(const GraphBuilder& b) {
  const auto resources = std::make_shared<ModelResources>();
  Graph graph = b.graph();
  propagate_facts(graph, *resources);
  optimize_bodies(graph, *resources);
  return graph;
}

const Graph& body_of(const Graph& graph, const std::string& name) {
  for (const NodeId id : graph.nodes()) {
    if (const auto* body = graph.node(id).spec.find<GraphPtr>(name)) return **body;
  }
  throw Error(ErrorKind::kInternal, "no body " + name);
}

/// If(cond) x + -c else x, where x and c are captured.
struct Captures {
  GraphBuilder b;
  GraphPtr then_branch, else_branch;

  Captures() {
    GraphBuilder sum, same;
    const ValueId x = sum.input("x", Fact());
    sum.output(sum.op("Add", {x, sum.op("Neg", {sum.input("c", Fact())})}));
    same.output(same.op("Identity", {same.input("x", Fact())}));
    same.input("c", Fact());
    then_branch = sum.shared();
    else_branch = same.shared();
    const ValueId cond = b.input("cond", Fact(DType::kBool, Shape{}));
    const ValueId outer_x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 2}));
    const ValueId c = b.constant(Tensor::of<float>({2}, {1, 2}));
    b.output(
        b.ops("If", {cond, outer_x, c}, 1, {{"then_branch", then_branch}, {"else_branch", else_branch}}, {}, 2)[0]);
  }
};

TEST(OptimizeBodies, TellsBodiesWhatIsKnownOfCaptures) {
  const Captures model;
  const Graph graph = optimized(model.b);
  const Graph& body = body_of(graph, "then_branch");
  EXPECT_EQ(str(body.fact(body.inputs()[0])), "float32[N,2]");
  EXPECT_EQ(str(body.fact(body.outputs()[0].value)), "float32[N,2]");
}

TEST(OptimizeBodies, ConstantCapturesFoldInBodies) {
  const Captures model;
  const Graph graph = optimized(model.b);
  const Graph& body = body_of(graph, "then_branch");
  EXPECT_EQ(count_ops(body, "Neg"), 0);
  ASSERT_EQ(count_ops(body, "Add"), 1);
  const Tensor* constant = body.constant_input(body.node(body.nodes()[0]), 1);
  ASSERT_NE(constant, nullptr);
  EXPECT_TRUE(identical(*constant, Tensor::of<float>({2}, {-1, -2})));
}

TEST(OptimizeBodies, LeavesTheBodiesOfTheOriginalAlone) {
  const Captures model;
  optimized(model.b);
  EXPECT_EQ(count_ops(*model.then_branch, "Neg"), 1);
  EXPECT_FALSE(model.then_branch->fact(model.then_branch->inputs()[1]).present());
}

TEST(OptimizeBodies, DropsCapturesThatNoBodyReads) {
  const Captures model;
  const Graph graph = optimized(model.b);
  const Node &before = model.b.graph().node(model.b.graph().nodes()[0]), &after = graph.node(graph.nodes()[0]);
  EXPECT_EQ(after.spec.captures, 1);
  EXPECT_EQ(after.inputs, std::vector(before.inputs.begin(), before.inputs.end() - 1));
  for (const char* name : {"then_branch", "else_branch"}) EXPECT_EQ(body_of(graph, name).inputs().size(), 1U);
}

TEST(OptimizeBodies, AConstantCaptureMayBeAnOutput) {
  GraphBuilder same, b;
  same.output(same.input("c", Fact()));
  const Attributes branches{{"then_branch", same.shared()}, {"else_branch", same.shared()}};
  const ValueId cond = b.input("cond", Fact(DType::kBool, Shape{})), c = b.constant(Tensor::of<float>({2}, {1, 2}));
  b.output(b.ops("If", {cond, c}, 1, branches, {}, 1)[0]);
  const Graph graph = optimized(b);
  EXPECT_EQ(graph.node(graph.nodes()[0]).spec.captures, 0);
  const std::vector<Tensor> outputs = run_model(b.model(), {Tensor::scalar(true)});
  EXPECT_TRUE(identical(outputs[0], Tensor::of<float>({2}, {1, 2})));
}

TEST(OptimizeBodies, BodiesOfWhichNothingIsKnownAdoptConstantsIntoTheirBodies) {
  GraphBuilder inner, outer, b;
  inner.output(inner.op("Add", {inner.input("x", Fact()), inner.input("c", Fact())}));
  const Attributes branches{{"then_branch", inner.shared()}, {"else_branch", inner.shared()}};
  outer.input("i", Fact());
  const ValueId keep = outer.input("keep", Fact()), x = outer.input("x", Fact()), c = outer.input("c", Fact());
  outer.output(keep);
  outer.output(outer.ops("If", {keep, x, c}, 1, branches, {}, 2)[0]);
  const ValueId trips = b.constant(Tensor::scalar<int64_t>(3)), keep_on = b.constant(Tensor::scalar(true));
  const ValueId constant = b.constant(Tensor::of<float>({2}, {1, 2}));
  b.output(b.ops("Loop", {trips, keep_on, b.input("x", Shape{2}), constant}, 1, {{"body", outer.shared()}}, {}, 1)[0]);
  const Graph graph = optimized(b);
  EXPECT_EQ(body_of(body_of(graph, "body"), "then_branch").inputs().size(), 1U);
  const std::vector<Tensor> outputs = run_model(b.model(), {Tensor::of<float>({2}, {0, 1})});
  EXPECT_TRUE(identical(outputs[0], Tensor::of<float>({2}, {3, 7})));
}

TEST(OptimizeBodies, KeepsNodesNamesAndFacts) {
  const Captures model;
  const Graph graph = optimized(model.b);
  ASSERT_EQ(graph.nodes().size(), 1u);
  const Node &before = model.b.graph().node(model.b.graph().nodes()[0]), &after = graph.node(graph.nodes()[0]);
  EXPECT_EQ(after.spec.describe(), before.spec.describe());
  EXPECT_EQ(graph.value(after.outputs[0]).name, model.b.graph().value(before.outputs[0]).name);
  EXPECT_EQ(str(graph.fact(after.outputs[0])), "float32[N,2]");
}

TEST(OptimizeBodies, ReachesBodiesInBodies) {
  const auto branches = [](const GraphPtr& body) { return Attributes{{"then_branch", body}, {"else_branch", body}}; };
  GraphBuilder inner, outer, b;
  inner.input("cond", Fact());
  inner.output(inner.op("Add", {inner.input("x", Fact()), inner.op("Neg", {inner.input("c", Fact())})}));
  const ValueId cond = outer.input("cond", Fact()), x = outer.input("x", Fact()), c = outer.input("c", Fact());
  outer.output(outer.ops("If", {cond, cond, x, c}, 1, branches(inner.shared()), {}, 3)[0]);
  const ValueId given = b.input("cond", Fact(DType::kBool, Shape{})),
                constant = b.constant(Tensor::of<float>({2}, {1, 2}));
  b.output(b.ops("If", {given, given, b.input("x", Shape{2}), constant}, 1, branches(outer.shared()), {}, 3)[0]);
  const Graph graph = optimized(b);
  const Graph& body = body_of(body_of(graph, "then_branch"), "then_branch");
  EXPECT_EQ(count_ops(body, "Neg"), 0);
  EXPECT_EQ(count_ops(body, "Add"), 1);
}

TEST(OptimizeBodies, DoesNotChangeWhatIsComputed) {
  const Captures model;
  ModelOptions as_written;
  as_written.optimization = 0;
  const Tensor x = random_tensor({3, 2});
  for (const bool cond : {true, false}) {
    const std::vector<Tensor> inputs{Tensor::scalar(cond), x};
    expect_close(run_model(model.b.model(), inputs)[0], run_model(model.b.model(as_written), inputs)[0]);
  }
}

}  // namespace
}  // namespace linnet::testing
