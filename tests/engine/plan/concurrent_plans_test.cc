#include <gtest/gtest.h>

#include <future>

#include "plan/program.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kSlow = 48;  // rows of the input that a plan takes long for

/// Compiling for kSlow rows waits until it may go on.
struct Gate {
  std::promise<void> entered, opened;
  std::atomic<int> compiled = 0;
  bool waited_in_vain = false;

  void pass(const Shape& shape) {
    ++compiled;
    if (shape[0] != kSlow) return;
    entered.set_value();
    waited_in_vain = opened.get_future().wait_for(std::chrono::seconds(30)) != std::future_status::ready;
  }
};

class CopyKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override { copy_elements(context.input(0), context.output(0)); }
};

/// y = x, whose kernels are made at the gate.
class Gated final : public Op {
 public:
  explicit Gated(Gate& gate) : gate_(gate) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput& in) const override {
    gate_.pass(in.shape(0));
    return std::make_unique<CopyKernel>();
  }

 private:
  Gate& gate_;
};

std::vector<Tensor> rows(int64_t n) { return {random_tensor({n, 4})}; }

class ConcurrentPlans : public ::testing::Test {
 protected:
  ConcurrentPlans() {
    const auto registry = std::make_shared<Registry>(standard_registry());
    registry->add("Gated", {}, [&](const NodeSpec&) { return std::make_unique<Gated>(gate_); });
    Graph graph(registry);
    const ValueId x = graph.add_input("x", Fact(DType::kFloat32, Dims{Dim("N"), 4}));
    graph.add_node({.op_type = "Gated", .name = "node", .opset = 17}, {x}, {"y"});
    graph.add_output("y", x + 1);
    const auto resources = std::make_shared<ModelResources>();
    resources->options.executor = make_serial_executor();
    program_ = std::make_shared<Program>(model_graph(make_model(std::move(graph), {})), resources);
  }

  std::future<std::shared_ptr<const Plan>> plan_slowly() {
    auto plan = std::async(std::launch::async, [&] { return program_->plan_for(rows(kSlow)); });
    gate_.entered.get_future().wait();
    return plan;
  }

  Gate gate_;
  std::shared_ptr<Program> program_;
};

TEST_F(ConcurrentPlans, NobodyWaitsForAPlanOfOthers) {
  for (const int64_t n : {60, 61, 62}) program_->plan_for(rows(n));
  const auto known = program_->plan_for(rows(61));
  auto slow = plan_slowly();
  EXPECT_EQ(program_->plan_for(rows(61)), known);
  for (const int64_t n : {50, 63, 100, 101, 102}) program_->plan_for(rows(n));  // new ones, also of its family
  gate_.opened.set_value();
  EXPECT_TRUE(slow.get()->accepts(rows(kSlow)));
  EXPECT_FALSE(gate_.waited_in_vain);
}

TEST_F(ConcurrentPlans, APlanThatIsBeingMadeIsNotMadeTwice) {
  auto slow = plan_slowly();
  const int compiled = gate_.compiled;
  auto same = std::async(std::launch::async, [&] { return program_->plan_for(rows(kSlow)); });
  gate_.opened.set_value();
  EXPECT_EQ(slow.get(), same.get());
  EXPECT_EQ(gate_.compiled, compiled);
}

}  // namespace
}  // namespace linnet::testing
