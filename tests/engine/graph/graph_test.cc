#include "graph/graph.h"

#include <gtest/gtest.h>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

TEST(Graph, DropsTheConstantsThatNothingReads) {
  GraphBuilder b;
  const ValueId first = b.constant(random_tensor({3})), read = b.constant(random_tensor({3}));
  const ValueId returned = b.constant(random_tensor({3}));
  b.output(b.op("Add", {b.input("x", Shape{3}), read}));
  b.output(returned);
  const ValueId last = b.constant(random_tensor({3}));
  Graph graph = b.graph();
  graph.drop_unread_constants();
  for (const ValueId dropped : {first, last}) EXPECT_FALSE(graph.fact(dropped).constant) << dropped;
  for (const ValueId kept : {read, returned}) EXPECT_TRUE(graph.fact(kept).constant) << kept;
}

GraphBuilder sum_and_relu() {
  GraphBuilder b;
  b.output(b.op("Relu", {b.op("Add", {b.input("x", Shape{3}), b.constant(random_tensor({3}))})}));
  return b;
}

TEST(Graph, ChangesOfACopyLeaveTheOriginal) {
  const GraphBuilder b = sum_and_relu();
  const Graph& original = b.graph();
  for (Graph copy : {original, original.compacted()}) {
    const ValueId x = copy.inputs()[0];
    copy.set_fact(x, Fact(DType::kFloat32, Shape{5}));
    EXPECT_EQ(original.fact(original.inputs()[0]).shape(), Shape{3});
    EXPECT_EQ(copy.fact(x).shape(), Shape{5});
  }
}

TEST(Graph, CopiesHoldNothingTwice) {
  const GraphBuilder b = sum_and_relu();
  const size_t alone = b.graph().own_bytes();
  const Graph copy = b.graph();
  EXPECT_LT(copy.own_bytes() + sizeof(Node) + sizeof(Value), alone);
}

TEST(Graph, SharesWhatIsEqualAndNothingElse) {
  const GraphBuilder first = sum_and_relu(), second = sum_and_relu();
  Graph graph = first.graph();
  const Graph other = second.graph();
  const NodeId add = graph.nodes().front();
  ASSERT_NE(&graph.node(add), &other.node(add));
  graph.set_fact(graph.inputs()[0], Fact(DType::kFloat32, Shape{4}));
  graph.share_with(other);
  EXPECT_EQ(&graph.node(add), &other.node(add));
  EXPECT_EQ(graph.fact(graph.inputs()[0]).shape(), Shape{4});
  EXPECT_EQ(other.fact(other.inputs()[0]).shape(), Shape{3});
}

}  // namespace
}  // namespace linnet::testing
