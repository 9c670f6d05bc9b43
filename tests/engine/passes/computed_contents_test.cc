#include "passes/computed_contents.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Replaces a file: every number is 3.
class Threes final : public ContentsSource {
 public:
  void read(std::span<std::byte> to, size_t) const override {
    std::fill_n(reinterpret_cast<float*>(to.data()), to.size() / sizeof(float), 3.f);
  }
};

const Shape kLarge{256, 256};

Tensor stored() { return StoredContents::tensor(DType::kFloat32, kLarge, std::make_shared<Threes>()); }

/// Folds the node of the value and reads the value again.
void expect_recomputed(const GraphBuilder& b, float want) {
  Graph graph = b.graph();
  propagate_facts(graph, *std::make_shared<ModelResources>());
  const Tensor folded = graph.fact(graph.outputs()[0].value).constant;
  ASSERT_TRUE(folded);
  ASSERT_NE(ComputedContents::of(folded), nullptr) << "its contents are in memory";
  expect_close(folded, Tensor::of(kLarge, std::vector<float>(size_t(kLarge.elements()), want)), 1e-5);
}

TEST(ComputedContents, AreComputedAgainByAnOperatorWithAKernel) {
  GraphBuilder b;
  b.output(b.op("Neg", {b.constant(stored())}));
  expect_recomputed(b, -3);
}

TEST(ComputedContents, AreComputedAgainByAnOperatorThatIsDefinedByAGraph) {
  GraphBuilder b(1);
  const ValueId bias = b.constant(Tensor::of(std::vector<float>(256, 0.f)));
  b.output(b.op("BiasGelu", {b.constant(stored()), bias}, {}, "com.microsoft"));
  expect_recomputed(b, 2.9959507f);
}

TEST(ComputedContents, AreComputedAgainByALoop) {
  GraphBuilder body;
  body.input("i", Fact(DType::kInt64, Shape{}));
  body.output(body.op("Identity", {body.input("go", Fact(DType::kBool, Shape{}))}));
  const ValueId x = body.input("x", kLarge);
  body.output(body.op("Add", {x, x}));
  GraphBuilder b;
  const ValueId times = b.constant(Tensor::scalar(int64_t{3})), go = b.constant(Tensor::scalar(true));
  b.output(b.op("Loop", {times, go, b.constant(stored())}, {{"body", body.shared()}}));
  expect_recomputed(b, 24);
}

}  // namespace
}  // namespace linnet::testing
