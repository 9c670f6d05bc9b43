#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Adds 1 to x while `go` is true, that is, forever.
Model endless_model() {
  GraphBuilder body;
  body.input("i", Fact(DType::kInt64, Shape{}));
  const ValueId go = body.input("go", Fact(DType::kBool, Shape{}));
  const ValueId x = body.input("x", Shape{4});
  body.output(body.op("Identity", {go}));
  body.output(body.op("Add", {x, body.constant(Tensor::of<float>({1, 1, 1, 1}))}));
  GraphBuilder b;
  const ValueId condition = b.input("go", Fact(DType::kBool, Shape{}));
  b.output(b.ops("Loop", {kNoValue, condition, b.input("x", Shape{4})}, 1, {{"body", body.shared()}})[0]);
  return b.model();
}

std::vector<Tensor> inputs(bool go) { return {Tensor::scalar(go), Tensor::of<float>({1, 2, 3, 4})}; }

void expect_cancelled(Context& context, const std::shared_ptr<const CancellationToken>& token) {
  expect_error(ErrorKind::kCancelled, "the run was cancelled",
               [&] { context.run(inputs(true), {.cancellation = token}); });
}

TEST(Cancellation, EndsARunThatHasBegun) {
  Context context(endless_model());
  const auto token = std::make_shared<CancellationToken>();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    token->cancel();
  });
  expect_cancelled(context, token);
  other.join();
}

TEST(Cancellation, IsNotLostWhereItComesBeforeTheRun) {
  Context context(endless_model());
  const auto token = std::make_shared<CancellationToken>();
  token->cancel();
  for (int i = 0; i < 2; ++i) expect_cancelled(context, token);
}

TEST(Cancellation, EndsTheRunsOfItsTokenOnly) {
  const Model model = endless_model();
  Context context(model), other(model);
  const auto token = std::make_shared<CancellationToken>();
  token->cancel();
  expect_cancelled(context, token);
  const Tensor x = inputs(false)[1];
  expect_close(context.run(inputs(false))[0], x);
  expect_close(other.run(inputs(false), {.cancellation = std::make_shared<CancellationToken>()})[0], x);
}

/// y = x, unless the condition is set: then it waits until the run is cancelled.
struct PatientKernel final : Kernel {
  void run(KernelContext& context) const override {
    if (*context.input(1).data<bool>()) {
      while (true) context.check();
    }
    copy_elements(context.input(0), context.output(0));
  }
};

struct Patient final : Op {
  explicit Patient(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<PatientKernel>(); }
};

TEST(Cancellation, IsSeenByAnApplicationsKernels) {
  auto registry = std::make_shared<Registry>();
  registry->add<Patient>("patient", {1, "custom"});
  Graph graph(registry);
  NodeSpec spec{.op_type = "patient", .domain = "custom", .name = "p"};
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, Shape{4}));
  const ValueId wait = graph.add_input("wait", Fact(DType::kBool, Shape{}));
  graph.add_node(spec, {x, wait}, {"y"});
  graph.add_output("y", graph.node(graph.nodes()[0]).outputs[0]);
  ContextOptions options;
  options.limits.deadline_ms = 50;
  Context context(make_model(std::move(graph), {}), options);
  const auto run = [&](bool waits, const RunOptions& of_run) {
    return context.run(std::vector{inputs(false)[1], Tensor::scalar(waits)}, of_run)[0];
  };
  const auto token = std::make_shared<CancellationToken>();
  expect_error(ErrorKind::kLimit, "deadline of 50 ms", [&] { run(true, {.cancellation = token}); });
  std::thread other([&] { token->cancel(); });
  expect_error(ErrorKind::kCancelled, "cancelled", [&] {
    while (true) run(false, {.cancellation = token});
  });
  other.join();
}

}  // namespace
}  // namespace linnet::testing
