#include "plan/dim_names.h"

#include <gtest/gtest.h>

#include "linnet/containers.h"
#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// x w + r, with two inputs that both declare N rows, in either order.
GraphBuilder product_graph(bool product_first) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 4}));
  const ValueId r = b.input("r", Fact(DType::kFloat32, Dims{Dim("N"), 8}));
  const ValueId y = b.op("MatMul", {x, b.constant(random_tensor({4, 8}, 1))});
  b.output(b.op("Add", product_first ? std::vector{y, r} : std::vector{r, y}));
  return b;
}

std::vector<Tensor> inputs_of(int64_t n, int64_t m) { return {random_tensor({n, 4}, 2), random_tensor({m, 8}, 3)}; }

Tensor run(const Model& model, const std::vector<Tensor>& inputs) { return Context(model).run(inputs)[0].clone(); }

TEST(DimNames, GiveNoReasonToFuse) {
  for (const bool product_first : {true, false}) {
    const GraphBuilder b = product_graph(product_first);
    const Model model = b.model(), plain = b.model({.optimization = 0});
    for (const auto& [n, m] : std::vector<std::pair<int64_t, int64_t>>{{1, 3}, {3, 1}, {3, 3}, {1, 7}, {1, 1}}) {
      const auto inputs = inputs_of(n, m);
      expect_close(run(model, inputs), run(plain, inputs), 1e-5, 1e-5);
    }
  }
}

TEST(DimNames, OfElementsSayNothing) {
  GraphBuilder b;
  const Fact rows(DType::kFloat32, Dims{Dim("N"), 8});
  const ValueId all = b.input("all", Fact::sequence(rows));
  const auto at = [&](int64_t i) { return b.op("SequenceAt", {all, b.constant(Tensor::scalar(i))}); };
  b.output(b.op("Add", {b.op("MatMul", {at(0), b.constant(random_tensor({8, 8}, 1))}), at(1)}));
  const Model model = b.model(), plain = b.model({.optimization = 0});
  EXPECT_EQ(model.inputs()[0].fact.element->dim(0).symbol(), "N");
  for (const int64_t n : {1, 3}) {
    const std::vector<Tensor> inputs{
        Tensor::scalar(Sequence{{random_tensor({n, 8}, 2), random_tensor({4 - n, 8}, 3)}})};
    expect_close(run(model, inputs), run(plain, inputs), 1e-5, 1e-5);
  }
}

TEST(DimNames, OfDifferentSizesAreNotedInTheLog) {
  std::vector<std::string> warnings;
  ModelOptions options;
  options.log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::kWarning) warnings.emplace_back(text);
  };
  const Model model = product_graph(true).model(options);
  run(model, inputs_of(3, 3));
  EXPECT_TRUE(warnings.empty());
  run(model, inputs_of(1, 3));
  EXPECT_EQ(warnings,
            std::vector<std::string>{"inputs 'x' and 'r' both declare the dim 'N', but it is 1 in 'x' and 3 in 'r'"});
}

TEST(DimNames, AreNamedByErrorsThatTheyMayExplain) {
  const Model model = product_graph(true).model();
  expect_error(ErrorKind::kShape, "; inputs 'x' and 'r' both declare the dim 'N', but it is 2 in 'x' and 3 in 'r'",
               [&] { run(model, inputs_of(2, 3)); });
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), Dim("N")}));
  b.output(b.op("MatMul", {x, x}));
  expect_error(ErrorKind::kShape, "; input 'x' declares the dim 'N' twice, but it is 2 at axis 0 and 3 at axis 1", [&] {
    run(b.model(), {random_tensor({2, 3})});
  });
}

TEST(DimNames, AreTheModelsAsDeclared) {
  const Model model = product_graph(true).model();
  for (const ValueInfo& input : model.inputs()) EXPECT_EQ(input.fact.dim(0).symbol(), "N");
  const Graph graph = declared_graph(model);
  for (const ValueId input : graph.inputs()) EXPECT_EQ(graph.fact(input).dim(0).symbol(), "N");
  expect_error(ErrorKind::kShape, "input 'r' must be float32[N,8], got float32[3,7]", [&] {
    run(model, {random_tensor({3, 4}), random_tensor({3, 7})});
  });
}

}  // namespace
}  // namespace linnet::testing
