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

}  // namespace
}  // namespace linnet::testing
