#include <gtest/gtest.h>

#include <functional>

#include "linnet/containers.h"
#include "ops/controlflow/scalar_facts.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

// Tests that loops stay within the limits of a run and load in reasonable time.
namespace linnet::testing {
namespace {

using GraphPtr = std::shared_ptr<const Graph>;

const Fact kFloats = Fact::sequence(Fact(DType::kFloat32, std::nullopt));

/// Returns a Loop whose number of trips is an input. `body` computes the carried value, or with `scan` a scan output,
/// from x.
Model loop_of(const Fact& carried, bool scan, const std::function<ValueId(GraphBuilder&, ValueId)>& body) {
  GraphBuilder inner(20);
  inner.input("i", kScalarInt);
  const ValueId condition = inner.input("condition", kScalarBool), x = inner.input("x", carried);
  inner.output(condition);
  inner.output(scan ? x : body(inner, x));
  if (scan) inner.output(body(inner, x));
  GraphBuilder b(20);
  const ValueId trips = b.input("trips", kScalarInt), start = b.input("start", carried);
  for (const ValueId y : b.ops("Loop", {trips, kNoValue, start}, scan ? 2 : 1, {{"body", inner.shared()}})) b.output(y);
  return b.model();
}

void expect_over_memory(const Model& model, const Tensor& start) {
  ContextOptions options;
  options.limits.memory_bytes = 100'000;
  Context context(model, options);
  context.run(std::vector{Tensor::scalar<int64_t>(3), start});
  const std::vector<Tensor> many{Tensor::scalar<int64_t>(1'000'000), start};
  expect_error(ErrorKind::kLimit, "more than the limit of 100000", [&] { context.run(many); });
}

TEST(LoopLimits, SequencesThatGrowCountAsMemory) {
  const auto insert = [](GraphBuilder& b, ValueId x) {
    return b.op("SequenceInsert", {x, b.constant(random_tensor({1000}))});
  };
  expect_over_memory(loop_of(kFloats, false, insert), Tensor::scalar(Sequence{}));
}

TEST(LoopLimits, EmptyElementsOfSequencesCountAsMemory) {
  const auto insert = [](GraphBuilder& b, ValueId x) {
    return b.op("SequenceInsert", {x, b.constant(random_tensor({0}))});
  };
  expect_over_memory(loop_of(kFloats, false, insert), Tensor::scalar(Sequence{}));
}

TEST(LoopLimits, TextThatGrowsCountsAsMemory) {
  const auto twice = [](GraphBuilder& b, ValueId x) { return b.op("StringConcat", {x, x}); };
  expect_over_memory(loop_of(Fact(DType::kString, Shape{1}), false, twice), Tensor::of<std::string>({"long enough"}));
}

TEST(LoopLimits, ScanOutputsCountAsMemory) {
  const auto same = [](GraphBuilder& b, ValueId x) { return b.op("Neg", {x}); };
  expect_over_memory(loop_of(Fact(DType::kFloat32, Shape{10}), true, same), random_tensor({10}));
}

/// Returns a body in which each inference pass discovers one more carried value that changes its shape. With `depth`,
/// the body contains such a loop. The first value grows by the result of the inner loop, or doubles.
GraphPtr shifting_body(int depth, int carried) {
  GraphBuilder b;
  b.input("i", kScalarInt);
  const ValueId condition = b.input("condition", kScalarBool);
  std::vector<ValueId> values;
  for (int i = 0; i < carried; ++i) values.push_back(b.input("x" + std::to_string(i), Shape{1}));
  ValueId more = values[0];
  if (depth > 0) {
    std::vector<ValueId> inner(size_t(carried) + 2, b.constant(Tensor::of<float>({1})));
    inner[0] = b.constant(Tensor::scalar<int64_t>(1));
    inner[1] = kNoValue;
    more = b.ops("Loop", inner, carried, {{"body", shifting_body(depth - 1, carried)}})[0];
  }
  b.output(condition);
  b.output(b.op("Concat", {values[0], more}, {{"axis", int64_t{0}}}));
  for (int i = 1; i < carried; ++i) b.output(b.op("Identity", {values[size_t(i - 1)]}));
  return b.shared();
}

TEST(LoopLimits, LoopsInLoopsAreLoadedInFewPasses) {
  const int carried = 6;
  GraphBuilder b;
  std::vector<ValueId> inputs{b.input("trips", kScalarInt), kNoValue};
  for (int i = 0; i < carried; ++i) inputs.push_back(b.input("x" + std::to_string(i), Shape{1}));
  b.output(b.ops("Loop", inputs, carried, {{"body", shifting_body(12, carried)}})[0]);
  const Model model = b.model();
  std::vector<Tensor> values(size_t(carried) + 1, Tensor::of<float>({1}));
  values[0] = Tensor::scalar<int64_t>(1);
  EXPECT_EQ(run_model(model, values)[0].shape(), Shape({14}));
}

/// Returns a model that counts to the number of trips, which is known when the model is loaded.
Model constant_loop(int64_t trips) {
  GraphBuilder body;
  const ValueId i = body.input("i", kScalarInt), condition = body.input("condition", kScalarBool);
  body.input("x", kScalarInt);
  body.output(condition);
  body.output(body.op("Identity", {i}));
  GraphBuilder b;
  const ValueId start = b.constant(Tensor::scalar<int64_t>(0));
  b.output(b.op("Loop", {b.constant(Tensor::scalar(trips)), kNoValue, start}, {{"body", body.shared()}}));
  return b.model();
}

TEST(LoopLimits, ShortLoopsOfConstantsAreComputedAtLoad) {
  const Model model = constant_loop(5);
  EXPECT_EQ(count_ops(model, "Loop"), 0);
  EXPECT_EQ(*run_model(model, {})[0].data<int64_t>(), 4);
}

TEST(LoopLimits, LongLoopsOfConstantsAreLeftToTheRun) {
  ContextOptions options;
  options.limits.deadline_ms = 50;
  Context context(constant_loop(INT64_MAX), options);
  expect_error(ErrorKind::kLimit, "deadline", [&] { context.run(std::vector<Tensor>{}); });
}

}  // namespace
}  // namespace linnet::testing
