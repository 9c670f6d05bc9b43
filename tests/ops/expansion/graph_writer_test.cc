#include <gtest/gtest.h>

#include "expansion/expansion.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

std::shared_ptr<const Registry> registry() { return std::make_shared<const Registry>(standard_registry()); }

Ints ints_of(const Fact& fact) {
  const auto values = fact.constant.values<int64_t>();
  return {values.begin(), values.end()};
}

TEST(GraphWriter, KnowsFactsAsItGoes) {
  GraphWriter graph(registry(), "node");
  const ValueId x = graph.input(Fact(DType::kUint8, Dims{Dim("N"), 3}));
  const ValueId y = graph.transpose(graph.cast(x, DType::kFloat32), {1, 0});
  EXPECT_EQ(graph.fact(y).dtype, DType::kFloat32);
  EXPECT_EQ(str(graph.fact(y)), "float32[3,N]");
  expect_error(ErrorKind::kShape, "node/Add_", [&] { graph.op("Add", {y, graph.constant(random_tensor({2, 5}))}); });
}

TEST(GraphWriter, ReadsDimsThatAreOpenInTheRun) {
  GraphWriter graph(registry(), "node");
  const ValueId x = graph.input(Fact(DType::kUint8, Dims{Dim("N"), 3}));
  const ValueId open = graph.dim(x, 0), known = graph.dim(x, 1);
  EXPECT_EQ(ints_of(graph.fact(graph.sum(known, known))), Ints{6});
  EXPECT_FALSE(graph.fact(graph.sum(open, known)).constant);
  EXPECT_EQ(str(graph.fact(graph.range(known))), "int64[3]");
  EXPECT_FALSE(graph.fact(graph.range(open)).dim(0).known());
  EXPECT_FALSE(graph.fact(graph.dim(graph.input(Fact(DType::kUint8, std::nullopt)), 0)).constant);
}

TEST(GraphWriter, LeavesOutWhatNoOutputReads) {
  GraphWriter graph(registry(), "node");
  const ValueId x = graph.input(Fact(DType::kFloat32, Shape{2}));
  graph.op("Exp", {x});
  const Graph written = graph.finish({graph.op("Abs", {x})});
  ASSERT_EQ(written.nodes().size(), 1u);
  EXPECT_EQ(written.node(written.nodes()[0]).spec.op_type, "Abs");
}

TEST(Expansion, InputsThatAreOmittedHaveNoValue) {
  const std::vector<Fact> facts{Fact(), Fact(Tensor::of<int64_t>({7})), Fact(DType::kInt64, Shape{1})};
  for (const bool own_constants : {false, true}) {
    Expansion graph(registry(), "node", facts, own_constants);
    EXPECT_FALSE(graph.has(0));
    EXPECT_FALSE(graph.has(3));
    EXPECT_EQ(ints_of(graph.fact(graph.in(1))), Ints{7});
    const Graph written = graph.finish({graph.op("Add", {graph.in(1), graph.in(2)})});
    EXPECT_EQ(written.inputs().size(), own_constants ? 1u : 2u);
  }
}

TEST(Expansion, WaitsWhereAnOutputIsUnknown) {
  Expansion graph(registry(), "node", {}, false);
  EXPECT_FALSE(graph.waits());
  const Fact fact = graph.fact(graph.unknown(DType::kInt8));
  EXPECT_TRUE(graph.waits());
  EXPECT_EQ(fact.dtype, DType::kInt8);
  EXPECT_FALSE(fact.has_rank());
}

}  // namespace
}  // namespace linnet::testing
