#include <gtest/gtest.h>

#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Counts how often kernels were compiled and run.
struct Counts {
  int compiled = 0, run = 0;
};

class CountingKernel final : public Kernel {
 public:
  explicit CountingKernel(Counts& counts) : counts_(counts) { ++counts_.compiled; }
  void run(KernelContext& context) const override {
    ++counts_.run;
    for (int i = 0; i < 2; ++i) std::fill_n(context.output(i).data<float>(), context.output(i).size(), 1.0f);
  }

 private:
  Counts& counts_;
};

/// Two float outputs, of the shape of x and of the attribute "second". If "second" has a negative dim, there is only
/// the first output.
class Counting final : public Op {
 public:
  Counting(const NodeSpec& node, Counts& counts)
      : second_(node.attr<std::vector<int64_t>>("second")), counts_(counts) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    return {Fact(DType::kFloat32, in[0].dims), second_[0] < 0 ? Fact() : Fact(DType::kFloat32, Shape(second_))};
  }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<CountingKernel>(counts_); }

 private:
  std::vector<int64_t> second_;
  Counts& counts_;
};

class NoElements : public ::testing::TestWithParam<int> {
 protected:
  NoElements() {
    registry_->add("Counting", {}, [&](const NodeSpec& node) { return std::make_unique<Counting>(node, counts_); });
  }

  /// Returns the outputs for x, which is an input or a constant. The second output is omitted if its name is empty.
  std::vector<Tensor> run(const Tensor& x, const std::vector<int64_t>& second, const std::string& second_name = "z",
                          bool constant = false) {
    Graph graph(registry_);
    const ValueId x_id = constant ? graph.add_constant("x", x) : graph.add_input("x", Fact(x.dtype(), x.shape()));
    NodeSpec spec{.op_type = "Counting", .name = "node", .opset = 17};
    spec.attributes = {{"second", second}};
    const Node& node = graph.node(graph.add_node(spec, {x_id}, {"y", second_name}));
    for (const ValueId v : node.outputs) {
      if (v != kNoValue && (v == node.outputs[0] || second[0] >= 0)) graph.add_output(graph.value(v).name, v);
    }
    ModelOptions options;
    options.optimization = GetParam();
    return run_model(make_model(std::move(graph), options), constant ? std::vector<Tensor>{} : std::vector{x});
  }

  Counts counts_;
  std::shared_ptr<Registry> registry_ = std::make_shared<Registry>(standard_registry());
};

TEST_P(NoElements, NodesWithoutAnyAreNeitherCompiledNorRun) {
  const Tensor x = random_tensor({int64_t{1} << 60, 0});
  for (const bool constant : {false, true}) {
    const auto outputs = run(x, {0, 5}, "z", constant);
    EXPECT_EQ(outputs[0].shape(), x.shape());
    EXPECT_EQ(outputs[1].shape(), Shape({0, 5}));
    EXPECT_EQ(run(x, {3}, "", constant)[0].shape(), x.shape());
  }
  EXPECT_EQ(counts_.compiled, 0);
  EXPECT_EQ(counts_.run, 0);
}

TEST_P(NoElements, OutputsThatAnOperatorDoesNotGiveHaveNone) {
  const auto outputs = run(random_tensor({4, 0}), {-1});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].shape(), Shape({4, 0}));
  EXPECT_EQ(counts_.run, 0);
}

TEST_P(NoElements, NodesRunForAnyOutputThatHasSome) {
  const auto outputs = run(random_tensor({4, 0}), {2});
  EXPECT_EQ(outputs[0].shape(), Shape({4, 0}));
  expect_close(outputs[1], Tensor::of<float>({2}, {1, 1}));
  EXPECT_EQ(counts_.run, 1);
}

INSTANTIATE_TEST_SUITE_P(Optimization, NoElements, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace linnet::testing
