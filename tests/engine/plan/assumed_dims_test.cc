#include "plan/assumed_dims.h"

#include <gtest/gtest.h>

#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// A graph on x [N, 3] and y [M], with what its dims have in common for two sizes.
class Sizes {
 public:
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 3}));
  const ValueId y = b.input("y", Fact(DType::kFloat32, Dims{Dim("M")}));

  static std::vector<Tensor> inputs(int64_t n, int64_t m, int64_t width = 3) {
    return {Tensor(DType::kFloat32, {n, width}), Tensor(DType::kFloat32, {m})};
  }
  AssumedDims of(const std::vector<Tensor>& first, const std::vector<Tensor>& second) const {
    Graph open = b.graph();
    return {open, with(first), with(second), *resources_};
  }

  Graph with(const std::vector<Tensor>& tensors) const {
    Graph graph = b.graph();
    for (size_t i = 0; i < tensors.size(); ++i) {
      graph.set_fact(graph.inputs()[i], Fact(tensors[i].dtype(), tensors[i].shape()));
    }
    propagate_facts(graph, *resources_);
    return graph;
  }

 private:
  std::shared_ptr<ModelResources> resources_ = std::make_shared<ModelResources>();
};

TEST(AssumedDims, HoldForAllFurtherSizes) {
  Sizes s;
  s.b.output(s.b.op("Relu", {s.x}));
  s.b.output(s.b.op("Relu", {s.y}));
  const AssumedDims assumed = s.of(Sizes::inputs(4, 6), Sizes::inputs(6, 7));
  for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{{4, 6}, {6, 7}, {8, 8}, {104, 56}}) {
    EXPECT_TRUE(assumed.hold_further(Sizes::inputs(n, m))) << n << " " << m;
  }
  for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{{5, 6}, {6, 6}, {4, 7}, {8, 7}, {2, 5}}) {
    EXPECT_FALSE(assumed.hold_further(Sizes::inputs(n, m))) << n << " " << m;
  }
  EXPECT_FALSE(assumed.hold_further(Sizes::inputs(6, 7, 4)));
}

TEST(AssumedDims, HoldOnALineOfSmallerSlope) {
  Sizes s;
  s.b.output(s.b.op("Relu", {s.x}));
  s.b.output(s.b.op("Relu", {s.y}));
  AssumedDims assumed = s.of(Sizes::inputs(4, 6), Sizes::inputs(8, 10));
  EXPECT_FALSE(assumed.hold_further(Sizes::inputs(5, 7)));
  EXPECT_FALSE(assumed.set_line(s.with(Sizes::inputs(5, 7)), s.with(Sizes::inputs(6, 8)))) << "4, 6 are not on it";
  EXPECT_FALSE(assumed.set_line(s.with(Sizes::inputs(2, 4)), s.with(Sizes::inputs(5, 7)))) << "sizes 3 apart";
  EXPECT_FALSE(assumed.hold_further(Sizes::inputs(5, 7)));
  EXPECT_TRUE(assumed.set_line(s.with(Sizes::inputs(2, 4)), s.with(Sizes::inputs(3, 5))));
  for (const int64_t n : {2, 3, 4, 5, 100}) EXPECT_TRUE(assumed.hold_further(Sizes::inputs(n, n + 2))) << n;
  EXPECT_FALSE(assumed.hold_further(Sizes::inputs(1, 3)));
}

TEST(AssumedDims, AreNotKnownToHoldWhereDimsDoNotGrowLinearly) {
  Sizes s;
  const ValueId half = s.b.op("Div", {s.b.op("Shape", {s.y}), s.b.constant(Tensor::of<int64_t>({2}))});
  s.b.output(s.b.op("Expand", {s.b.constant(Tensor::scalar(1.0f)), half}));
  const auto inputs = Sizes::inputs(4, 6);
  AssumedDims assumed = s.of(inputs, Sizes::inputs(4, 7));
  EXPECT_FALSE(assumed.hold_further(inputs));
  const auto facts = [](int64_t m) {
    return std::vector<Fact>{Fact(DType::kFloat32, Shape{4, 3}), Fact(DType::kFloat32, Shape{m})};
  };
  EXPECT_TRUE(assumed.hold(facts(6), ModelResources()));
  EXPECT_FALSE(assumed.hold(facts(8), ModelResources())) << "3, 3, 4";
}

}  // namespace
}  // namespace linnet::testing
