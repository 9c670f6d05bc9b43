#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// The action of a kernel on its input, its output and its 64 bytes of scratch memory.
using Function = std::function<void(const Tensor& x, Tensor& y, float* scratch)>;

class AnyKernel final : public Kernel {
 public:
  explicit AnyKernel(Function function) : function_(std::move(function)) {}
  void run(KernelContext& context) const override {
    function_(context.input(0), context.output(0), reinterpret_cast<float*>(context.scratch()));
  }
  size_t scratch_bytes() const override { return 64; }
  int in_place(int) const override { return 0; }

 private:
  Function function_;
};

/// One output of the input's type and shape.
class AnyOp final : public Op {
 public:
  explicit AnyOp(Function function) : function_(std::move(function)) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<AnyKernel>(function_); }

 private:
  Function function_;
};

constexpr int64_t kSize = 40;

void copy(const Tensor& x, Tensor& y, float*) { std::copy_n(x.data<float>(), kSize, y.data<float>()); }

/// Runs the functions in sequence with guarded memory.
Tensor run(const std::vector<Function>& functions, const Tensor& x) {
  auto registry = std::make_shared<Registry>();
  Graph graph(registry);
  ValueId value = graph.add_input("x", Fact(x.dtype(), x.shape()));
  for (const Function& function : functions) {
    NodeSpec spec{.op_type = str("Op", graph.nodes().size()), .name = "node", .opset = 17};
    registry->add(spec.op_type, {}, [&](const NodeSpec&) { return std::make_unique<AnyOp>(function); });
    value = graph.node(graph.add_node(spec, {value}, {spec.op_type})).outputs[0];
  }
  graph.add_output("y", value);
  ModelOptions options;
  options.guard_memory = true;
  return run_model(make_model(std::move(graph), options), {x})[0];
}

/// Adds a value before and after, so that neither belongs to the model's caller.
Tensor run(const Function& function, const Tensor& x) { return run({copy, function, copy}, x); }

const Tensor kFilled = random_tensor({kSize});

TEST(GuardMemory, LeavesWhatIsRightAsItIs) { expect_close(run(copy, kFilled), kFilled, 0, 0); }

TEST(GuardMemory, RefusesWritesBesideAValue) {
  for (const int64_t at : {int64_t{-1}, kSize, kSize + 100, int64_t{-200}}) {
    expect_error(ErrorKind::kInternal, "Op1 'node' (opset 17): wrote outside of float32[40]", [&] {
      run([&](const Tensor& x, Tensor& y, float* scratch) { copy(x, y, scratch), y.data<float>()[at] = 1; }, kFilled);
    });
    expect_error(ErrorKind::kInternal, "wrote outside of float32[40]", [&] {
      run([&](const Tensor& x, Tensor& y, float* s) { copy(x, y, s), const_cast<Tensor&>(x).data<float>()[at] = 1; },
          kFilled);
    });
  }
}

TEST(GuardMemory, RefusesWritesBehindScratchMemory) {
  expect_error(ErrorKind::kInternal, "wrote past the end of 64 bytes of scratch memory", [] {
    run([](const Tensor& x, Tensor& y, float* scratch) { copy(x, y, scratch), scratch[16] = 1; }, kFilled);
  });
}

TEST(GuardMemory, GivesNanToWhoReadsWhatIsNotAValue) {
  const std::vector<Function> functions = {
      [](const Tensor& x, Tensor& y, float* s) { copy(x, y, s), y.data<float>()[3] = x.data<float>()[kSize]; },
      [](const Tensor& x, Tensor& y, float* s) { copy(x, y, s), y.data<float>()[3] = s[15]; },
      [](const Tensor& x, Tensor& y, float* s) {
        const float before = y.data<float>()[3];
        copy(x, y, s);
        y.data<float>()[3] = before;
      }};
  for (const Function& function : functions) EXPECT_TRUE(std::isnan(run(function, kFilled).data<float>()[3]));
}

/// Returns kFilled. It is not folded because it declares that it differs between runs.
class SourceOp final : public Op {
 public:
  std::vector<Fact> infer(std::span<const Fact>) const override { return {Fact(kFilled.dtype(), kFilled.shape())}; }
  KernelPtr compile(const CompileInput&) const override {
    class SourceKernel final : public Kernel {
      void run(KernelContext& context) const override {
        std::copy_n(kFilled.data<float>(), kSize, context.output(0).data<float>());
      }
    };
    return std::make_unique<SourceKernel>();
  }
  bool deterministic() const override { return false; }
};

TEST(GuardMemory, KeepsTheFirstValueOfAModelWithoutInputsUntilItIsRead) {
  auto registry = std::make_shared<Registry>();
  registry->add("Source", {}, [](const NodeSpec&) { return std::make_unique<SourceOp>(); });
  registry->add("Copy", {}, [](const NodeSpec&) { return std::make_unique<AnyOp>(copy); });
  Graph graph(registry);
  const auto node = [&](const std::string& op, const std::vector<ValueId>& inputs, const std::string& name) {
    return graph.node(graph.add_node({.op_type = op, .name = name, .opset = 17}, inputs, {name})).outputs[0];
  };
  graph.add_output("y", node("Copy", {node("Source", {}, "first")}, "second"));
  ModelOptions options;
  options.guard_memory = true;
  expect_close(run_model(make_model(std::move(graph), options), {})[0], kFilled, 0, 0);
}

TEST(GuardMemory, FillsValuesThatNobodyReadsAgain) {
  const float* value = nullptr;
  bool alive = false, dead = false;
  const Function remember = [&](const Tensor& x, Tensor& y, float* scratch) {
    copy(x, y, scratch);
    value = x.data<float>();
    alive = value[0] == kFilled.data<float>()[0];
  };
  const Function look = [&](const Tensor& x, Tensor& y, float* scratch) {
    copy(x, y, scratch);
    dead = std::isnan(value[0]);
  };
  expect_close(run({copy, remember, look}, kFilled), kFilled, 0, 0);
  EXPECT_TRUE(alive && dead);
}

}  // namespace
}  // namespace linnet::testing
