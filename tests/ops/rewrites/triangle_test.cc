#include "rewrites/matching/triangle.h"

#include <gtest/gtest.h>

#include <limits>

#include "compile/model_resources.h"
#include "passes/passes.h"
#include "plan/program.h"
#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"
#include "support/special_floats.h"

namespace linnet::testing {
namespace {

/// Masks of N rows and columns, where N is a dim of an input.
class Masks {
 public:
  GraphBuilder b{23};
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{1, Dim("N"), 8}));

  ValueId ints(const std::vector<int64_t>& values) { return b.constant(Tensor::of(values)); }
  ValueId one(int64_t value) { return b.constant(Tensor::scalar(value)); }
  ValueId length() { return b.op("Gather", {b.op("Shape", {x}), one(1)}); }
  ValueId shape() { return b.op("Expand", {length(), ints({2})}); }
  /// Returns first, first + step, ...
  ValueId columns(int64_t first = 0, int64_t step = 1) {
    return b.op("Range", {one(first), b.op("Add", {length(), one(first)}), one(step)});
  }
  ValueId rows(int64_t first = 0) { return b.op("Unsqueeze", {columns(first), ints({1})}); }
  ValueId same(const Tensor& element) { return b.op("ConstantOfShape", {shape()}, {{"value", element}}); }
  ValueId cast(ValueId v, DType to) { return b.op("Cast", {v}, {{"to", int64_t(to == DType::kBool ? 9 : 1)}}); }
  ValueId lower(ValueId v) { return b.op("Trilu", {v}, {{"upper", int64_t{0}}}); }
  ValueId upper(ValueId v, int64_t k) { return b.op("Trilu", {v, one(k)}, {{"upper", int64_t{1}}}); }

  bool is_triangle(ValueId mask) const {
    Graph graph = b.graph();
    propagate_facts(graph, *std::make_shared<ModelResources>());
    return is_written_triangle(graph, mask);
  }
};

TEST(WrittenTriangle, IsAComparisonOfCountedColumnsAndRows) {
  Masks m;
  EXPECT_TRUE(m.is_triangle(m.b.op("LessOrEqual", {m.columns(), m.rows()})));
  EXPECT_TRUE(m.is_triangle(m.b.op("GreaterOrEqual", {m.rows(3), m.columns(3)})));
  EXPECT_TRUE(m.is_triangle(m.b.op("Less", {m.columns(), m.b.op("Add", {m.rows(), m.one(1)})})));
  EXPECT_TRUE(m.is_triangle(m.b.op("Greater", {m.rows(1), m.columns()})));
  EXPECT_TRUE(m.is_triangle(m.b.op("Not", {m.b.op("Greater", {m.columns(), m.rows()})})));
}

TEST(WrittenTriangle, MayHaveMoreDimsAndATrueBeside) {
  Masks m;
  const ValueId mask = m.b.op("LessOrEqual", {m.columns(), m.rows()});
  const ValueId matrices = m.b.op("Unsqueeze", {mask, m.ints({0, 1})});
  EXPECT_TRUE(m.is_triangle(matrices));
  EXPECT_TRUE(m.is_triangle(m.b.op("And", {m.b.constant(Tensor::scalar(true)), mask})));
  EXPECT_FALSE(m.is_triangle(m.b.op("And", {m.b.constant(Tensor::scalar(false)), mask})));
}

TEST(WrittenTriangle, IsNoOtherComparison) {
  Masks m;
  EXPECT_FALSE(m.is_triangle(m.b.op("LessOrEqual", {m.rows(), m.columns()}))) << "keeps what is behind";
  EXPECT_FALSE(m.is_triangle(m.b.op("Less", {m.columns(), m.rows()}))) << "leaves the diagonal out";
  EXPECT_FALSE(m.is_triangle(m.b.op("LessOrEqual", {m.columns(), m.rows(1)}))) << "one more";
  EXPECT_FALSE(m.is_triangle(m.b.op("Not", {m.b.op("LessOrEqual", {m.columns(), m.rows()})})));
  EXPECT_FALSE(m.is_triangle(m.b.op("LessOrEqual", {m.columns(0, 2), m.rows()}))) << "every other number";
  EXPECT_FALSE(m.is_triangle(m.b.op("LessOrEqual", {m.columns(), m.columns()}))) << "a row";
  EXPECT_FALSE(m.is_triangle(m.b.op("LessOrEqual", {m.columns(), m.one(3)})));
}

TEST(WrittenTriangle, IsTriluOfWhatIsTheSameEverywhere) {
  Masks m;
  EXPECT_TRUE(m.is_triangle(m.lower(m.same(Tensor::of<bool>({1}, {true})))));
  EXPECT_TRUE(m.is_triangle(m.cast(m.lower(m.same(Tensor::of<float>({1}, {1}))), DType::kBool)));
  EXPECT_TRUE(m.is_triangle(m.upper(m.same(Tensor::of<float>({1}, {-kInf})), 1)));
  EXPECT_FALSE(m.is_triangle(m.lower(m.same(Tensor::of<bool>({1}, {false})))));
  EXPECT_FALSE(m.is_triangle(m.lower(m.same(Tensor::of<float>({1}, {1}))))) << "a bias of 1";
  EXPECT_FALSE(m.is_triangle(m.upper(m.same(Tensor::of<float>({1}, {-kInf})), 0))) << "hides the diagonal";
  EXPECT_FALSE(m.is_triangle(m.upper(m.same(Tensor::of<float>({1}, {-5})), 1)));
  EXPECT_FALSE(m.is_triangle(m.cast(m.upper(m.same(Tensor::of<float>({1}, {1})), 1), DType::kBool)));
}

TEST(WrittenTriangle, EndsAtSomeDepth) {
  Masks m;
  ValueId mask = m.b.op("LessOrEqual", {m.columns(), m.rows()});
  for (int i = 0; i < 100; ++i) mask = m.b.op("And", {m.b.constant(Tensor::scalar(true)), mask});
  EXPECT_FALSE(m.is_triangle(mask));
}

/// Tests self-attention of x with a mask that the graph computes for its length.
TEST(WrittenTriangle, AttentionOfAnyLengthIsCausalByOneGraph) {
  Masks m;
  const ValueId mask = m.b.op("LessOrEqual", {m.columns(), m.rows()});
  m.b.output(m.b.op("Attention", {m.x, m.x, m.x, mask}, {{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{2}}}));
  const auto resources = std::make_shared<ModelResources>();
  resources->options.executor = make_serial_executor();
  Program program(model_graph(m.b.model(resources->options)), resources);
  const auto plan_for = [&](int64_t n) { return program.plan_for(std::vector<Tensor>{random_tensor({1, n, 8})}); };
  plan_for(20);
  plan_for(21);
  const auto plan = plan_for(25);
  EXPECT_TRUE(plan->like);
  int causal = 0;
  for (const NodeId id : plan->graph.nodes()) {
    const Node& node = plan->graph.node(id);
    causal += node.spec.op_type == "Attention" && node.spec.attr_or("is_causal", false) && node.inputs[3] == kNoValue;
  }
  EXPECT_EQ(causal, 1);
}

}  // namespace
}  // namespace linnet::testing
