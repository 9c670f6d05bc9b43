#include <gtest/gtest.h>

#include "graph/patch.h"
#include "graph/rewrite.h"
#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Apply = std::optional<Patch> (*)(const Graph& graph, const Node& node);

NodeSpec spec_of(const char* op_type) {
  NodeSpec spec;
  spec.op_type = op_type;
  spec.name = op_type;
  spec.opset = 17;
  return spec;
}

std::optional<Patch> replace_tanh(const Graph& graph, const Node& node, const NodeSpec& spec, const Tensor& operand) {
  if (node.spec.op_type != "Tanh") return std::nullopt;
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, {node.inputs[0], patch.constant("c", operand)}));
  return patch;
}

std::optional<Patch> change_shape(const Graph& graph, const Node& node) {
  return replace_tanh(graph, node, spec_of("Add"), Tensor(DType::kFloat32, {5, 1, 1}));
}

std::optional<Patch> change_dtype(const Graph& graph, const Node& node) {
  return replace_tanh(graph, node, spec_of("Less"), Tensor::scalar(0.f));
}

std::optional<Patch> write_what_operators_refuse(const Graph& graph, const Node& node) {
  return replace_tanh(graph, node, spec_of("Add"), Tensor::scalar(0.0));
}

std::optional<Patch> write_unknown_operator(const Graph& graph, const Node& node) {
  return replace_tanh(graph, node, spec_of("Tann"), Tensor::scalar(0.f));
}

std::optional<Patch> fail_to_match(const Graph&, const Node& node) {
  if (node.spec.op_type != "Tanh") return std::nullopt;
  throw Error(ErrorKind::kShape, "no such axis");
}

std::optional<Patch> hit_a_limit(const Graph&, const Node&) { throw Error(ErrorKind::kLimit, "too late"); }

/// Neg(Tanh(Abs(x))) with one additional rewrite.
Graph tanh_graph(Apply apply) {
  Registry registry = standard_registry();
  Registry::Rewrites rewrites = Registry::Rewrites::of(registry);
  rewrites.list.push_back({"bad_rewrite", apply});
  Registry::Rewrites::set(registry, std::move(rewrites));
  Graph graph(std::make_shared<Registry>(std::move(registry)));
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, Shape{2, 3}));
  const auto add = [&](const char* op_type, ValueId from) {
    return graph.node(graph.add_node(spec_of(op_type), {from}, {std::string(op_type) + "_y"})).outputs[0];
  };
  graph.add_output("y", add("Neg", add("Tanh", add("Abs", x))));
  return graph;
}

struct Logged {
  std::vector<std::string> warnings;

  std::shared_ptr<ModelResources> resources(bool skips) {
    auto result = std::make_shared<ModelResources>();
    result->skips_rewrites = skips;
    result->options.disabled_rewrites = {"fuse_elementwise"};
    result->options.log = [this](LogLevel level, std::string_view text) {
      if (level == LogLevel::kWarning) warnings.emplace_back(text);
    };
    return result;
  }
};

class BadRewrite : public ::testing::TestWithParam<Apply> {};

TEST_P(BadRewrite, IsSkippedAndLoggedWhereTheModelCountsMore) {
  Logged log;
  Graph graph = tanh_graph(GetParam());
  optimize(graph, *log.resources(true));
  EXPECT_EQ(graph.nodes().size(), 3u);
  EXPECT_EQ(count_ops(graph, "Tanh"), 1);
  ASSERT_FALSE(log.warnings.empty());
  EXPECT_NE(log.warnings[0].find("Tanh 'Tanh' (opset 17) stays as it is: rewrite bad_rewrite: "), std::string::npos)
      << log.warnings[0];
}

TEST_P(BadRewrite, IsAnErrorWhereItIsToBeFound) {
  Graph graph = tanh_graph(GetParam());
  EXPECT_THROW(optimize(graph, *Logged().resources(false)), Error);
}

INSTANTIATE_TEST_SUITE_P(Kinds, BadRewrite,
                         ::testing::Values(change_shape, change_dtype, write_what_operators_refuse,
                                           write_unknown_operator, fail_to_match));

TEST(SkippedRewrites, ALimitEndsTheWork) {
  Graph graph = tanh_graph(hit_a_limit);
  expect_error(ErrorKind::kLimit, "rewrite bad_rewrite: too late", [&] { optimize(graph, *Logged().resources(true)); });
}

TEST(SkippedRewrites, AreErrorsInDebugBuildsOnly) { EXPECT_EQ(ModelResources().skips_rewrites, !kDebug); }

}  // namespace
}  // namespace linnet::testing
