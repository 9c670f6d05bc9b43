#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "linnet/model.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

Model add_model() {
  GraphBuilder b;
  const Fact fact(DType::kFloat32, Dims{Dim("N"), 2});
  b.output(b.op("Add", {b.input("a", fact), b.input("b", fact)}));
  return b.model();
}

const Tensor kOnes = Tensor::of({1, 2}, std::vector<float>{1, 1});

TEST(Context, TakesInputsByNameInAnyOrder) {
  Context context(add_model());
  const Tensor b = Tensor::of({1, 2}, std::vector<float>{2, 3});
  const auto outputs = context.run({{"b", b}, {"a", kOnes}});
  expect_close(outputs[0], Tensor::of({1, 2}, std::vector<float>{3, 4}));
}

TEST(Context, RefusesNodesThatOmitAnOutputWhichTheOperatorWrites) {
  const OpCase op{"LinearClassifier",
                  1,
                  {{"coefficients", std::vector<float>{1, 2}}, {"classlabels_ints", std::vector<int64_t>{3, 4}}},
                  "ai.onnx.ml"};
  for (const std::vector<int>& constants : {std::vector<int>{}, {0}}) {
    expect_error(ErrorKind::kModel, "output 1 must not be omitted", [&] {
      run_op(op, {Tensor::of<float>({1, 1}, {1})}, 1, constants);
    });
  }
}

TEST(Context, NamesTheInputsInItsErrorsAndStaysUsable) {
  Context context(add_model());
  expect_error(ErrorKind::kModel, "no input 'c'; the inputs are 'a', 'b'", [&] { context.run({{"c", kOnes}}); });
  expect_error(ErrorKind::kModel, "input 'b' is missing", [&] { context.run({{"a", kOnes}}); });
  const std::vector<Tensor> wrong_dim{Tensor::of({1, 3}, std::vector<float>{1, 2, 3}), kOnes};
  expect_error(ErrorKind::kShape, "input 'a' must be float32[N,2], got float32[1,3]", [&] { context.run(wrong_dim); });
  const std::vector<Tensor> wrong_type{Tensor::of({1, 2}, std::vector<int64_t>{1, 2}), kOnes};
  expect_error(ErrorKind::kType, "input 'a' must be float32, got int64", [&] { context.run(wrong_type); });
  const std::vector<Tensor> mismatch{kOnes, Tensor::of({3, 2}, std::vector<float>(6, 1))};
  EXPECT_EQ(context.run(mismatch)[0].shape(), Shape({3, 2}));
  expect_close(context.run({{"a", kOnes}, {"b", kOnes}})[0], Tensor::of({1, 2}, std::vector<float>{2, 2}));
}

TEST(Context, PlansAgainWhenShapesChange) {
  Context context(add_model());
  for (const int64_t n : {1, 3, 1, 5, 3}) {
    const Tensor x = random_tensor({n, 2});
    const std::vector<Tensor> inputs{x, x};
    EXPECT_EQ(context.run(inputs)[0].shape(), Shape({n, 2}));
    EXPECT_EQ(context.run(inputs)[0].data<float>()[0], 2 * x.data<float>()[0]);
  }
}

TEST(Context, OutputsMayBeInputsOrConstants) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{2});
  b.output(x);
  const Tensor seven = Tensor::of(std::vector<float>{7});
  b.output(b.constant(seven));
  b.output(b.op("Reshape", {x, b.constant(Tensor::of(std::vector<int64_t>{2, 1}))}));
  const Tensor given = Tensor::of(std::vector<float>{1, 2});
  Context context(b.model());
  const std::vector<Tensor> inputs{given};
  const auto outputs = context.run(inputs);
  expect_close(outputs[0], given);
  EXPECT_NE(outputs[0].raw(), given.raw());
  EXPECT_EQ(outputs[1].data<float>()[0], 7);
  EXPECT_NE(outputs[1].raw(), seven.raw());
  EXPECT_EQ(outputs[2].shape(), Shape({2, 1}));
}

TEST(Context, DataDependentShapesArePlannedWhenTheyAreKnown) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{4});
  const ValueId where = b.op("NonZero", {x});
  const ValueId twice = b.op("Add", {where, where});
  b.output(b.op("Reshape", {twice, b.constant(Tensor::of(std::vector<int64_t>{-1}))}));
  b.output(b.op("Neg", {x}));
  Context context(b.model());
  for (const auto& [values, expected] : std::vector<std::pair<std::vector<float>, std::vector<int64_t>>>{
           {{1, 0, 2, 0}, {0, 4}}, {{0, 0, 0, 0}, {}}, {{1, 1, 1, 1}, {0, 2, 4, 6}}, {{1, 0, 2, 0}, {0, 4}}}) {
    const std::vector<Tensor> inputs{Tensor::of(values)};
    const auto outputs = context.run(inputs);
    expect_close(outputs[0], Tensor::of(expected));
    EXPECT_EQ(outputs[1].data<float>()[0], -values[0]);
  }
}

/// In each step, takes the positive elements of x, adds their sum and appends the values of x.
std::vector<float> expected_chain(const std::vector<float>& x, int length) {
  std::vector<float> value = x;
  float sum = 0;
  for (const float element : x) sum += std::max(element, 0.0f);
  for (int i = 0; i < length; ++i) {
    std::vector<float> next;
    for (const float element : value) {
      if (element > 0) next.push_back(element * 0.5f - sum);
    }
    next.insert(next.end(), x.begin(), x.end());
    value = next;
  }
  return value;
}

/// The same as a graph in which each node waits for the previous one, and values are read by much later nodes.
Model chain_model(int length, bool guarded) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{6}), zero = b.constant(Tensor::scalar(0.0f));
  const auto positive = [&](ValueId v) {
    return b.op("Compress", {v, b.op("Greater", {v, zero})}, {{"axis", int64_t{0}}});
  };
  const ValueId sum = b.op("ReduceSum", {positive(x)}, {{"keepdims", int64_t{0}}}),
                half = b.constant(Tensor::scalar(0.5f));
  ValueId value = x;
  for (int i = 0; i < length; ++i) {
    const ValueId next = b.op("Sub", {b.op("Mul", {positive(value), half}), sum});
    const ValueId shape =
        b.op("Concat", {b.constant(Tensor::of<int64_t>({1})), b.op("Shape", {next})}, {{"axis", int64_t{0}}});
    const ValueId row = b.op(
        "Squeeze", {b.op("Reshape", {next, shape}, {{"allowzero", int64_t{1}}}), b.constant(Tensor::of<int64_t>({0}))});
    value = b.op("Concat", {row, x}, {{"axis", int64_t{0}}});
    if (i == length / 2) b.output(value);
  }
  b.output(value);
  b.output(sum);
  ModelOptions options;
  options.guard_memory = guarded;
  return b.model(options);
}

TEST(Context, LongChainsOfOpenShapesArePlannedInParts) {
  constexpr int kLength = 60;
  for (const bool guarded : {false, true}) {
    Context context(chain_model(kLength, guarded));
    for (const std::vector<float>& x :
         {std::vector<float>{1, -2, 3, 0, 5, -6}, {-1, -2, -3, -4, -5, -6}, {9, 8, 7, 6, 5, 4}, {1, -2, 3, 0, 5, -6}}) {
      const auto outputs = context.run(std::vector{Tensor::of(x)});
      expect_close(outputs[0], Tensor::of(expected_chain(x, kLength / 2 + 1)));
      expect_close(outputs[1], Tensor::of(expected_chain(x, kLength)));
    }
  }
}

TEST(Context, OutputsOfOpenShapeTakeMemoryThatNobodyHolds) {
  GraphBuilder b;
  b.output(b.op("NonZero", {b.input("x", Shape{20000})}));
  Context context(b.model());
  const std::vector<Tensor> inputs{random_tensor({20000})};
  const Tensor held = context.run(inputs)[0], kept = held.clone();
  const std::vector<Tensor> zeros{Tensor::of(std::vector<float>(20000))}, others{random_tensor({20000}, 2)};
  EXPECT_EQ(context.run(zeros)[0].size(), 0);
  const void* second = context.run(others)[0].raw();
  EXPECT_NE(second, held.raw());
  const Tensor both = context.run(others)[0];
  EXPECT_EQ(both.raw(), second);
  for (int run = 0; run < 3; ++run) {
    const void* third = context.run(inputs)[0].raw();
    EXPECT_TRUE(third != held.raw() && third != both.raw()) << run;
  }
  EXPECT_TRUE(identical(held, kept));
}

TEST(Context, ShapeInputsMayComeFromTheCallerThroughWhatTheirShapeTurnsOutToLeaveOut) {
  GraphBuilder b;
  const ValueId limit = b.input("limit", Fact(DType::kInt64, std::nullopt));
  const ValueId scalar = b.op("Reshape", {limit, b.constant(Tensor(DType::kInt64, Shape{0}))});
  const ValueId zero = b.constant(Tensor::scalar<int64_t>(0)), one = b.constant(Tensor::scalar<int64_t>(1));
  b.output(b.op("Range", {zero, scalar, one}));
  Context context(b.model());
  for (const int64_t count : {3, 2}) {
    const Tensor limit_value = Tensor::scalar(count);
    std::vector<int64_t> want{0, 1, 2};
    want.resize(size_t(count));
    expect_close(context.run(std::vector{limit_value})[0], Tensor::of(want));
  }
}

TEST(Context, ShapeInputsMayComeFromTheCaller) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{6});
  const ValueId shape = b.input("shape", Fact(DType::kInt64, Shape{2}));
  b.output(b.op("Reshape", {x, shape}));
  Context context(b.model());
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{2, 3}, {6, -1}, {2, 3}}) {
    const std::vector<Tensor> inputs{random_tensor({6}), Tensor::of(dims)};
    EXPECT_EQ(context.run(inputs)[0].dim(0), dims[0]);
  }
}

TEST(Context, KeepsToItsLimits) {
  GraphBuilder b;
  b.output(b.op("Exp", {b.op("Neg", {b.input("x", Shape{100000})})}));
  ContextOptions options;
  options.limits.memory_bytes = 1000;
  Context context(b.model(), options);
  const std::vector<Tensor> inputs{random_tensor({100000})};
  expect_error(ErrorKind::kLimit, "more than the limit of 1000", [&] { context.run(inputs); });
}

TEST(Context, ComparesValuesWithItsLimitsBeforeKernelsAreCompiled) {
  GraphBuilder b;
  const std::vector<int64_t> too_many_phases{2048, 2048};
  b.output(b.op("ConvTranspose", {b.input("x", Shape{1, 1, 5, 5}), b.constant(random_tensor({1, 1, 3, 3}))},
                {{"strides", too_many_phases}}));
  const std::vector<Tensor> inputs{random_tensor({1, 1, 5, 5})};
  ContextOptions options;
  options.limits.memory_bytes = 1000;
  Context context(b.model(), options);
  expect_error(ErrorKind::kLimit, "more than the limit of 1000", [&] { context.run(inputs); });
}

/// A product of a sum and constant weights, so that threads share packed weights.
Model product_model() {
  GraphBuilder b;
  const Fact fact(DType::kFloat32, Dims{Dim("N"), 8});
  const ValueId sum = b.op("Add", {b.input("a", fact), b.input("b", fact)});
  b.output(b.op("MatMul", {sum, b.constant(random_tensor({8, 5}, 7))}));
  return b.model();
}

std::vector<Tensor> product_inputs(int64_t n, int thread) {
  return {random_tensor({n, 8}, unsigned(thread)), random_tensor({n, 8}, unsigned(thread) + 100)};
}

Tensor product_of(const std::vector<Tensor>& inputs, const Tensor& w) {
  Tensor y(DType::kFloat32, {inputs[0].dim(0), 5});
  for (int64_t i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (int64_t k = 0; k < 8; ++k) {
      const int64_t at = i / 5 * 8 + k;
      sum += double(inputs[0].data<float>()[at] + inputs[1].data<float>()[at]) * w.data<float>()[k * 5 + i % 5];
    }
    y.data<float>()[i] = float(sum);
  }
  return y;
}

TEST(Context, SharesItsModelBetweenThreads) {
  const Model model = product_model();
  const Tensor w = random_tensor({8, 5}, 7);
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t last = 2; last <= 14; last += 4) {
        Context context(model);
        for (int64_t n = 1; n < last; ++n) {
          const std::vector<Tensor> inputs = product_inputs(n, t);
          expect_close(context.run(inputs)[0], product_of(inputs, w), 1e-5, 1e-5);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class CountingExecutor final : public Executor {
 public:
  int workers() const override { return 1; }
  void parallel_for(int64_t chunks, ChunkFunction function) override {
    ++loops;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) function(chunk, 0);
  }
  std::atomic<int> loops = 0;
};

TEST(Context, TakesTheExecutorOfItsModel) {
  GraphBuilder b;
  b.output(b.op("MatMul", {b.input("a", Shape{64, 64}), b.input("b", Shape{64, 64})}));
  const auto of_model = std::make_shared<CountingExecutor>(), own = std::make_shared<CountingExecutor>();
  ModelOptions options;
  options.executor = of_model;
  const Model model = b.model(options);
  const std::vector<Tensor> inputs(2, random_tensor({64, 64}));
  Context(model).run(inputs);
  const int loops = of_model->loops;
  EXPECT_GT(loops, 0);
  Context(model, {.executor = own}).run(inputs);
  EXPECT_EQ(of_model->loops, loops);
  EXPECT_GT(own->loops, 0);
}

class CountingObserver final : public Observer {
 public:
  void on_node(const NodeEvent& event) override {
    ++nodes;
    EXPECT_LE(event.begin, event.end);
    EXPECT_EQ(event.outputs.size(), 1u);
  }
  int nodes = 0;
};

TEST(Context, TellsItsObserverOfEveryNode) {
  GraphBuilder b;
  b.output(b.op("Softmax", {b.op("Neg", {b.input("x", Shape{3})})}));
  const auto observer = std::make_shared<CountingObserver>();
  Context context(b.model(), {.executor = nullptr, .observer = observer, .limits = {}});
  const std::vector<Tensor> inputs{random_tensor({3})};
  context.run(inputs);
  EXPECT_EQ(observer->nodes, 2);
}

}  // namespace
}  // namespace linnet::testing
