#include <gtest/gtest.h>

#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const ModelResources& resources() {
  static const auto shared = std::make_shared<ModelResources>();
  return *shared;
}

bool fold(Graph& graph) {
  propagate_facts(graph, resources());
  return fold_constants(graph);
}

TEST(FoldConstants, ReplacesWhatDependsOnConstantsOnly) {
  GraphBuilder b;
  const ValueId sum = b.op("Add", {b.constant(Tensor::of<float>({2}, {1, 2})), b.constant(Tensor::scalar(3.f))});
  b.output(b.op("Mul", {b.input("x", Shape{2}), b.op("Neg", {sum})}));
  Graph graph = b.graph();
  EXPECT_TRUE(fold(graph));
  ASSERT_EQ(graph.nodes().size(), 1u);
  const Node& mul = graph.node(graph.nodes()[0]);
  ASSERT_NE(graph.constant_input(mul, 1), nullptr);
  EXPECT_TRUE(identical(*graph.constant_input(mul, 1), Tensor::of<float>({2}, {-4, -5})));
  EXPECT_FALSE(fold(graph));
}

TEST(FoldConstants, OutputsOfTheGraphBecomeConstants) {
  GraphBuilder b;
  b.output(b.op("Neg", {b.constant(Tensor::scalar(3.f))}));
  Graph graph = b.graph();
  EXPECT_TRUE(fold(graph));
  EXPECT_TRUE(graph.nodes().empty());
  EXPECT_TRUE(identical(graph.fact(graph.outputs()[0].value).constant, Tensor::scalar(-3.f)));
}

TEST(FoldConstants, ShapesOfUnknownValuesFoldWhereTheirDimsAreKnown) {
  GraphBuilder b;
  b.output(b.op("Shape", {b.input("x", Fact(DType::kFloat32, Dims{2, 3}))}));
  b.output(b.op("Shape", {b.input("y", Fact(DType::kFloat32, Dims{Dim("N"), 3}))}));
  Graph graph = b.graph();
  EXPECT_TRUE(fold(graph));
  EXPECT_EQ(count_ops(graph, "Shape"), 1);
  EXPECT_TRUE(identical(graph.fact(graph.outputs()[0].value).constant, Tensor::of<int64_t>({2}, {2, 3})));
}

TEST(FoldConstants, LeavesLargeConstantsThatAreOnlyRepeated) {
  GraphBuilder b;
  const Tensor large = random_tensor({2, 512, 300});
  const ValueId repeats = b.constant(Tensor::of<int64_t>({3}, {2, 1, 1}));
  b.output(b.op("Tile", {b.constant(large), repeats}));
  b.output(b.op("Transpose", {b.constant(large)}));
  Graph graph = b.graph();
  EXPECT_TRUE(fold(graph));
  EXPECT_EQ(count_ops(graph, "Tile"), 1);
  EXPECT_EQ(count_ops(graph, "Transpose"), 0);
}

// An operator whose first output is known and whose second is not.
class HalfKnown final : public Op {
 public:
  explicit HalfKnown(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(Tensor::scalar(7.f)), in[0]}; }
  KernelPtr compile(const CompileInput&) const override { throw Error(ErrorKind::kInternal, "not to be run"); }
};

TEST(FoldConstants, KeepsNodesThatAlsoGiveWhatIsNotKnown) {
  auto registry = std::make_shared<Registry>();
  registry->add<HalfKnown>("HalfKnown", {.since = 1, .domain = "test"});
  Graph graph(registry);
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, Shape{2}));
  const NodeSpec spec{.op_type = "HalfKnown", .domain = "test", .name = "node"};
  for (const ValueId y : graph.node(graph.add_node(spec, {x}, {"known", "open"})).outputs) graph.add_output("y", y);
  const ValueId known = graph.node(graph.add_node(spec, {x}, {"alone", ""})).outputs[0];
  graph.add_output("z", known);
  EXPECT_TRUE(fold(graph));
  EXPECT_EQ(graph.nodes().size(), 1u);
  EXPECT_TRUE(identical(graph.fact(graph.outputs()[2].value).constant, Tensor::scalar(7.f)));
}

}  // namespace
}  // namespace linnet::testing
