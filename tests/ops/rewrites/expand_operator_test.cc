#include <gtest/gtest.h>

#include <set>

#include "support/expect_unchanged.h"
#include "support/run_expanded.h"

namespace linnet::testing {
namespace {

constexpr const char* kDomain = "com.microsoft";
const Tensor kScale = Tensor::scalar(0.25f), kZero = Tensor::scalar(uint8_t{9});

ValueId sum(GraphBuilder& b, ValueId x) {
  const ValueId scale = b.constant(kScale), zero = b.constant(kZero);
  return b.op("QLinearAdd", {x, scale, zero, x, scale, zero, b.constant(Tensor::scalar(0.5f)), zero}, {}, kDomain);
}

ValueId bytes(GraphBuilder& b, const Dims& dims) { return b.input("x", Fact(DType::kUint8, dims)); }

TEST(ExpandOperator, TheExpansionTakesTheNodesPlace) {
  GraphBuilder b;
  b.output(sum(b, bytes(b, {Dim("N"), 4})));
  expect_unchanged(b, {scattered<uint8_t>({3, 4})});
  EXPECT_EQ(count_ops(b.model(), "QLinearAdd", kDomain), 0);
  EXPECT_EQ(count_ops(b.model(), "DequantizeLinear"), 1) << "equal ones are merged";
}

TEST(ExpandOperator, TheNodeStaysWhereTheRewriteIsOff) {
  GraphBuilder b;
  b.output(sum(b, sum(b, bytes(b, {Dim("N"), 4}))));
  ModelOptions options;
  options.disabled_rewrites = {"expand_operator"};
  const Tensor x = scattered<uint8_t>({3, 4});
  const Model kept = b.model(options);
  EXPECT_EQ(count_ops(kept, "QLinearAdd", kDomain), 2);
  expect_close(run_model(kept, {x})[0], run_model(b.model(), {x})[0]);
  expect_close(run_model(kept, {scattered<uint8_t>({1, 4})})[0], run_model(b.model(), {scattered<uint8_t>({1, 4})})[0]);
}

TEST(ExpandOperator, NodesAreNamedAfterItAndOutputsKeepTheirNames) {
  GraphBuilder b;
  b.output(sum(b, bytes(b, {4})));
  const Node& old = b.graph().node(b.graph().nodes().front());
  const std::string value = b.graph().value(old.outputs[0]).name;
  const Model model = b.model();
  const Graph& graph = model_graph(model);
  std::set<std::string> names;
  for (const NodeId id : graph.nodes()) {
    EXPECT_TRUE(graph.node(id).spec.name.starts_with(old.spec.name + "/")) << graph.node(id).spec.name;
    EXPECT_TRUE(names.insert(graph.node(id).spec.name).second);
  }
  EXPECT_EQ(graph.value(graph.outputs()[0].value).name, value);
}

TEST(ExpandOperator, WaitsForARankThatItNeeds) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kUint8, std::nullopt)), scale = b.constant(kScale),
                zero = b.constant(kZero);
  b.output(b.op("QLinearGlobalAveragePool", {x, scale, zero, scale, zero}, {{"channels_last", int64_t{1}}}, kDomain));
  const Model model = b.model();
  EXPECT_EQ(count_ops(model, "QLinearGlobalAveragePool", kDomain), 1);
  expect_close(run_model(model, {Tensor::of<uint8_t>({1, 2, 2, 1}, {10, 20, 30, 40})})[0],
               Tensor::of<uint8_t>({1, 1, 1, 1}, {25}));
}

/// Returns QAttention of two heads with a mask of any dims. Everything else depends only on symbolic dims.
GraphBuilder qattention(const Dim& batch, const Dims& mask) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kUint8, Dims{batch, Dim("length"), 4}));
  const ValueId w = b.constant(scattered<int8_t>({4, 12})), scale = b.constant(Tensor::scalar(0.01f));
  const ValueId bias = b.constant(random_tensor({12})), ends = b.input("mask", Fact(DType::kInt32, mask));
  b.output(b.op("QAttention", {x, w, bias, scale, scale, ends}, {{"num_heads", int64_t{2}}}, kDomain));
  return b;
}

TEST(ExpandOperator, OpenDimsAreReadFromShapesInTheRun) {
  const Tensor x = scattered<uint8_t>({2, 3, 4}), ends = Tensor::of<int32_t>({2, 3});
  const Tensor scale = Tensor::scalar(0.01f);
  const Tensor want = run_expanded("QAttention", {{"num_heads", int64_t{2}}},
                                   {x, scattered<int8_t>({4, 12}), random_tensor({12}), scale, scale, ends})[0];
  const GraphBuilder one_for_each = qattention(2, {2}), one_or_two = qattention(Dim("batch"), {Dim("batch")});
  EXPECT_EQ(count_ops(one_for_each.model(), "QAttention", kDomain), 0);
  EXPECT_EQ(count_ops(one_or_two.model(), "QAttention", kDomain), 1) << "only the plan knows what the mask means";
  for (const GraphBuilder& b : {one_for_each, one_or_two}) {
    expect_close(run_model(b.model(), {x, ends})[0], want, 1e-5, 1e-5);
    expect_unchanged(b, {x, ends});
  }
}

TEST(ExpandOperator, OmittedOutputsAreLeftOut) {
  const Tensor x = random_tensor({2, 3}), gamma = random_tensor({3});
  const auto want = run_expanded("SkipLayerNormalization", {}, {x, x, gamma}, 4);
  for (const int optimization : {0, 2}) {
    GraphBuilder b;
    Graph graph = b.graph();
    const ValueId in = graph.add_input("x", Fact(DType::kFloat32, Shape{2, 3}));
    const NodeSpec spec{.op_type = "SkipLayerNormalization", .domain = kDomain, .name = "node"};
    const NodeId node = graph.add_node(spec, {in, in, graph.add_constant("gamma", gamma)}, {"", "", "inverse", "sum"});
    const std::vector<size_t> given{2, 3};
    for (const size_t i : given) graph.add_output(i == 2 ? "inverse" : "sum", graph.node(node).outputs[i]);
    ModelOptions options;
    options.optimization = optimization;
    const std::vector<Tensor> got = run_model(make_model(graph, options), {x});
    for (const size_t i : given) expect_close(got[i - 2], want[i], 1e-6, 1e-6);
  }
}

TEST(ExpandOperator, ErrorsNameTheNodeAndTheInput) {
  expect_error(ErrorKind::kModel, "com.microsoft", [] {
    GraphBuilder b;
    const ValueId x = bytes(b, {4}), scale = b.constant(Tensor::scalar(0.0f));
    b.output(b.op("QLinearSigmoid", {x, scale, kNoValue, scale}, {}, kDomain));
    b.model();
  });
}

}  // namespace
}  // namespace linnet::testing
