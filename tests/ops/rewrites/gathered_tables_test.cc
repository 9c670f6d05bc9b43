#include <gtest/gtest.h>

#include "ops/rewrites/graph_parts.h"
#include "support/byte_graph.h"
#include "support/expect_unchanged.h"

// Tests `dequantize_gathered_rows`: tables of embeddings that stay quantised.
namespace linnet::testing {
namespace {

constexpr int64_t kTokens = 1024, kSize = 1024;
const Fact kIds(DType::kInt64, Shape{3});

Tensor table(DType dtype = DType::kInt8) { return random_bytes({kTokens, kSize}, dtype); }
std::vector<Tensor> ids() { return {Tensor::of<int64_t>({7, 0, kTokens - 1})}; }

/// Returns a graph that gathers rows of a table with these scales.
ByteGraph rows(const Tensor& scales, int64_t axis) {
  ByteGraph g;
  const Attributes along{{"axis", axis}};
  const ValueId floats = g.op("DequantizeLinear", {g.constant(table()), g.constant(scales)}, along);
  g.output(g.op("Gather", {floats, g.input("ids", kIds)}));
  return g;
}

TEST(GatheredTables, OnlyTheRowsThatAreReadBecomeFloats) {
  for (const Grid& grid : {Grid{DType::kInt8, 0.1f, -3}, Grid{DType::kUint8, 0.02f, 200}}) {
    ByteGraph g;
    const ValueId floats = g.dequantize(g.constant(table(grid.dtype)), grid);
    g.output(g.op("Relu", {g.op("Gather", {floats, g.input("ids", kIds)})}));
    EXPECT_EQ(optimized_ops(g).substr(0, 6), "Gather");
    expect_unchanged(g, ids());
  }
}

/// As floats, the table alone would take 4 MiB.
TEST(GatheredTables, LoadingNeedsNoMemoryForAllRowsAsFloats) {
  ModelOptions options;
  options.limits.memory_bytes = size_t{3} << 20;
  const ByteGraph g = rows(Tensor::scalar(0.5f), 0);
  EXPECT_EQ(run_model(g.model(options), ids())[0].shape(), Shape({3, kSize}));
}

TEST(GatheredTables, NotWhereRowsHaveScalesOfTheirOwn) {
  const ByteGraph g = rows(random_uniform({kTokens}, 0.1f, 1.f), 0);
  EXPECT_EQ(optimized_ops(g), "Gather");
  expect_unchanged(g, ids());
}

TEST(GatheredTables, NotWhereMoreRowsAreReadThanThereAre) {
  ByteGraph g;
  const ValueId floats = g.dequantize(g.constant(random_bytes({2, 5}, DType::kUint8)));
  g.output(g.op("Gather", {floats, g.input("ids", kIds)}));
  EXPECT_EQ(optimized_ops(g), "Gather");
  expect_unchanged(g, {Tensor::of<int64_t>({1, 0, 1})});
}

}  // namespace
}  // namespace linnet::testing
