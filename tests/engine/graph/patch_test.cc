#include "graph/patch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

NodeSpec new_node(const std::string& op_type) {
  NodeSpec spec;
  spec.op_type = op_type;
  spec.name = "new";
  spec.opset = 17;
  return spec;
}

Graph inferred(const GraphBuilder& b) {
  Graph graph = b.graph();
  propagate_facts(graph, *std::make_shared<ModelResources>());
  return graph;
}

void expect_sorted(const Graph& graph) {
  std::vector<NodeId> seen;
  for (const NodeId id : graph.nodes()) {
    for (const ValueId input : graph.node(id).inputs) {
      const Node* before = graph.producer(input);
      if (before) {
        EXPECT_NE(std::find(seen.begin(), seen.end(), before->id), seen.end());
      }
    }
    seen.push_back(id);
  }
}

TEST(Patch, ReplacesUsesAndDropsWhatIsDead) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  const ValueId relu = b.op("Relu", {x});
  b.output(b.op("Neg", {relu}));
  Graph graph = inferred(b);
  Patch patch(graph);
  const ValueId tanh = patch.add(new_node("Tanh"), {x});
  patch.replace(relu, tanh);
  patch.apply(graph);
  EXPECT_EQ(count_ops(graph, "Relu"), 0);
  EXPECT_EQ(count_ops(graph, "Tanh"), 1);
  EXPECT_EQ(str(graph.fact(tanh)), "float32[2]");
  expect_sorted(graph);
}

TEST(Patch, OmittedValuesHaveNeitherFactNorReaders) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  b.output(b.op("Relu", {x}));
  Graph graph = inferred(b);
  EXPECT_FALSE(graph.fact(kNoValue).present());
  EXPECT_TRUE(graph.consumers(kNoValue).empty());
  Patch patch(graph);
  patch.replace(kNoValue, x);
  patch.apply(graph);
  EXPECT_EQ(count_ops(graph, "Relu"), 1);
}

TEST(Patch, NewValuesTakeTheNamesOfThoseTheyReplace) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  const ValueId relu = b.op("Relu", {x});
  b.output(b.op("Neg", {relu}));
  Graph graph = inferred(b);
  Patch patch(graph);
  const ValueId inner = patch.add(new_node("Abs"), {x}), outer = patch.add(new_node("Tanh"), {inner});
  patch.replace(relu, outer);
  patch.apply(graph);
  EXPECT_EQ(graph.value(outer).name, b.graph().value(relu).name);
  EXPECT_EQ(graph.value(inner).name, "new:Abs");
}

TEST(Patch, OutputsKeepTheirNames) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  const ValueId relu = b.op("Relu", {x});
  b.output(relu);
  Graph graph = inferred(b);
  const std::string name = graph.outputs()[0].name;
  Patch patch(graph);
  patch.replace(relu, x);
  patch.apply(graph);
  EXPECT_EQ(graph.outputs()[0].name, name);
  EXPECT_EQ(graph.outputs()[0].value, x);
  EXPECT_TRUE(graph.nodes().empty());
}

TEST(Patch, SortsWhenANewNodeReadsALaterOne) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  const ValueId first = b.op("Relu", {x});
  b.output(b.op("Neg", {first}));
  const ValueId late = b.op("Tanh", {x});
  b.output(late);
  Graph graph = inferred(b);
  Patch patch(graph);
  patch.replace(first, patch.add(new_node("Abs"), {late}));
  patch.apply(graph);
  expect_sorted(graph);
}

TEST(Patch, SortsWhenALaterValueReplacesAnEarlierOne) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  const ValueId first = b.op("Relu", {x});
  b.output(b.op("Neg", {first}));
  const ValueId late = b.op("Tanh", {x});
  Graph graph = inferred(b);
  Patch patch(graph);
  patch.replace(first, late);
  patch.apply(graph);
  EXPECT_EQ(graph.nodes().size(), 2u);
  expect_sorted(graph);
}

TEST(Patch, AValueThatReplacesSeveralTakesTheNameOfTheFirst) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  const ValueId relu = b.op("Relu", {x}), neg = b.op("Neg", {x});
  b.output(b.op("Add", {relu, neg}));
  Graph graph = inferred(b);
  Patch patch(graph);
  const ValueId abs = patch.add(new_node("Abs"), {x});
  patch.replace(neg, abs);
  patch.replace(relu, abs);
  patch.apply(graph);
  EXPECT_EQ(graph.value(abs).name, b.graph().value(neg).name);
  EXPECT_EQ(graph.nodes().size(), 2u);
}

TEST(Patch, RefusesToChangeAShape) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  const ValueId y = b.input("y", Shape{3});
  const ValueId relu = b.op("Relu", {x});
  b.output(b.op("Neg", {relu}));
  Graph graph = inferred(b);
  Patch patch(graph);
  patch.replace(relu, y);
  expect_error(ErrorKind::kInternal, "from float32[2] into float32[3]", [&] { patch.apply(graph); });
  EXPECT_EQ(count_ops(graph, "Relu"), 1);
}

}  // namespace
}  // namespace linnet::testing
