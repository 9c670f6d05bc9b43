#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>

#include "environment/run_environment.h"
#include "plan/program.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kSlow = 48;  // the number of input rows whose plan takes long

/// Compiling for kSlow rows waits until it may continue.
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

/// y = x. Its kernels are compiled at the gate.
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

/// Makes two callers of meet() wait for each other, or notes that one waited in vain.
class Meeting {
 public:
  void meet() {
    std::unique_lock lock(mutex_);
    ++here_;
    changed_.notify_all();
    if (!changed_.wait_for(lock, std::chrono::seconds(20), [&] { return here_ >= 2; })) failed = true;
  }

  std::atomic<bool> failed = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int here_ = 0;
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
  for (const int64_t n : {50, 63, 100, 101, 102}) program_->plan_for(rows(n));  // new plans, also of its family
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

TEST_F(ConcurrentPlans, WhoWaitsForAPlanLooksAtTheDeadline) {
  auto slow = plan_slowly();
  ContextOptions options;
  options.limits.deadline_ms = 1;
  RunEnvironment run(options, make_serial_executor());
  run.begin_run({});
  expect_error(ErrorKind::kLimit, "", [&] { program_->plan_for(rows(kSlow), &run); });
  gate_.opened.set_value();
  EXPECT_TRUE(slow.get());
}

/// y = x. A thread that infers or compiles it for numbers below 2 or from 70 on waits for another one that does so.
class Met final : public Op {
 public:
  Met(Meeting& classes, Meeting& plans) : classes_(classes), plans_(plans) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    const Dim& n = in[0].dim(0);
    if (n.known() && n.value() < 2) classes_.meet();
    return {Fact(in[0].dtype, in[0].dims)};
  }
  KernelPtr compile(const CompileInput& in) const override {
    if (in.shape(0)[0] >= 70) plans_.meet();
    return std::make_unique<CopyKernel>();
  }

 private:
  Meeting &classes_, &plans_;
};

/// Plans for both numbers of rows, each in a separate thread.
void plan_both(Program& program, int64_t n, int64_t m) {
  const auto plan = [&](int64_t x) {
    return [&program, x] { program.plan_for(std::vector<Tensor>{random_tensor({x, 4}), random_tensor({1, 4})}); };
  };
  const auto other = std::async(std::launch::async, plan(n));
  plan(m)();
}

TEST(ConcurrentClients, MakeNewClassesAndPlansAtTheSameTime) {
  Meeting classes, plans;
  Registry registry = standard_registry();
  registry.add("Met", {}, [&](const NodeSpec&) { return std::make_unique<Met>(classes, plans); });
  GraphBuilder b(17, std::move(registry));
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 4}));
  const ValueId y = b.input("y", Fact(DType::kFloat32, Dims{Dim("M"), 4}));
  b.output(b.op("Add", {b.op("Met", {x}), y}));
  const auto resources = std::make_shared<ModelResources>();
  resources->options.executor = make_serial_executor();
  Program program(model_graph(b.model(resources->options)), resources);
  plan_both(program, 0, 1);
  EXPECT_FALSE(classes.failed);
  plan_both(program, 70, 80);
  EXPECT_FALSE(plans.failed);
}

}  // namespace
}  // namespace linnet::testing
