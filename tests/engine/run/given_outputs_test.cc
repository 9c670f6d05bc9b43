#include <gtest/gtest.h>

#include "linnet/model.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

Tensor floats(const Shape& shape) { return Tensor(DType::kFloat32, shape); }

/// y = -x, a view of y, x itself, a constant, and the non-zero positions of x.
Model model_of_all_outputs(bool guarded = false) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 2}));
  const ValueId y = b.op("Neg", {x});
  b.output(y);
  b.output(b.op("Flatten", {y}, {{"axis", int64_t{0}}}));
  b.output(x);
  b.output(b.constant(Tensor::of<float>({7, 8})));
  b.output(b.op("NonZero", {b.op("Abs", {x})}));
  b.output(b.op("Exp", {x}));
  ModelOptions options;
  options.guard_memory = guarded;
  return b.model(options);
}

std::vector<Tensor> memory() {
  return {floats({2, 2}), floats({1, 4}), floats({2, 2}), floats({2}), Tensor(DType::kInt64, {2, 3}), floats({2, 2})};
}

const Tensor kInput = Tensor::of<float>({2, 2}, {1, 0, 3, 4});

class GivenOutputs : public ::testing::TestWithParam<bool> {};

TEST_P(GivenOutputs, AreWhatOutputsAreWithoutThem) {
  Context context(model_of_all_outputs(GetParam()));
  std::vector<Tensor> expected;
  for (const Tensor& output : context.run(std::vector{kInput})) expected.push_back(output.clone());
  const std::vector<Tensor> given = memory();
  const auto outputs = context.run(std::vector{kInput}, {.outputs = given});
  for (size_t i = 0; i < given.size(); ++i) {
    EXPECT_EQ(outputs[i].raw(), given[i].raw()) << i;
    EXPECT_TRUE(identical(given[i], expected[i])) << i;
  }
}

TEST_P(GivenOutputs, MayBeSomeAndOfOneRunOnly) {
  Context context(model_of_all_outputs(GetParam()));
  for (size_t i = 0; i < memory().size(); ++i) {
    std::vector<Tensor> given(i + 1);
    given[i] = memory()[i];
    context.run(std::vector{kInput}, {.outputs = given});
    const Tensor kept = given[i].clone();
    const Tensor other = Tensor::of<float>({2, 2}, {5, 6, 7, 8});
    const auto outputs = context.run(std::vector{other});
    EXPECT_TRUE(identical(given[i], kept)) << i;
    EXPECT_NE(outputs[i].raw(), given[i].raw()) << i;
    expect_close(outputs[0], Tensor::of<float>({2, 2}, {-5, -6, -7, -8}));
  }
}

INSTANTIATE_TEST_SUITE_P(Guarded, GivenOutputs, ::testing::Bool());

TEST(GivenOutputs, NeedTheTypeAndShapeOfTheOutput) {
  Context context(model_of_all_outputs());
  const auto run = [&](size_t i, const Tensor& tensor) {
    std::vector<Tensor> given(i + 1);
    given[i] = tensor;
    context.run(std::vector{kInput}, {.outputs = given});
  };
  expect_error(ErrorKind::kShape, "is float32[2,2], the memory for it is float32[4]", [&] { run(0, floats({4})); });
  expect_error(ErrorKind::kType, "is float32[2,2], the memory for it is int32[2,2]", [&] {
    run(0, Tensor(DType::kInt32, {2, 2}));
  });
  expect_error(ErrorKind::kShape, "is int64[2,3], the memory for it is int64[2,4]", [&] {
    run(4, Tensor(DType::kInt64, {2, 4}));
  });
  expect_error(ErrorKind::kModel, "memory for 7 outputs, of 6", [&] { run(6, floats({1})); });
  EXPECT_EQ(context.run(std::vector{kInput}).size(), 6u);
}

// Puts each output in turn into the memory of the input. No output may read what another has overwritten.
TEST_P(GivenOutputs, MayBeInMemoryOfAnInput) {
  Context context(model_of_all_outputs(GetParam()));
  std::vector<Tensor> expected;
  for (const Tensor& output : context.run(std::vector{kInput})) expected.push_back(output.clone());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].bytes() != kInput.bytes()) continue;
    const Tensor x = kInput.clone();
    std::vector<Tensor> given(i + 1);
    given[i] = x.reshaped(expected[i].shape());
    const auto outputs = context.run(std::vector{x}, {.outputs = given});
    EXPECT_EQ(outputs[i].raw(), x.raw()) << i;
    for (size_t o = 0; o < outputs.size(); ++o) EXPECT_TRUE(identical(outputs[o], expected[o])) << i << ", " << o;
  }
}

TEST_P(GivenOutputs, MayExchangeInputs) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Shape{2}));
  const ValueId y = b.input("y", Fact(DType::kFloat32, Shape{2}));
  b.output(b.op("Identity", {y}));
  b.output(b.op("Identity", {x}));
  b.output(b.op("Sub", {x, y}));
  ModelOptions options;
  options.guard_memory = GetParam();
  Context context(b.model(options));
  const Tensor first = Tensor::of<float>({1, 2}), second = Tensor::of<float>({3, 5});
  const auto outputs = context.run(std::vector{first, second}, {.outputs = {first, second}});
  EXPECT_TRUE(identical(first, Tensor::of<float>({3, 5})));
  EXPECT_TRUE(identical(second, Tensor::of<float>({1, 2})));
  EXPECT_TRUE(identical(outputs[2], Tensor::of<float>({-2, -3})));
}

TEST(GivenOutputs, AreWrittenInPlaceOverACache) {
  GraphBuilder b(24);
  const ValueId cache = b.input("cache", Fact(DType::kFloat32, Shape{1, 1, 4, 2}));
  const ValueId rows = b.input("rows", Fact(DType::kFloat32, Shape{1, 1, 1, 2}));
  const ValueId begin = b.input("begin", Fact(DType::kInt64, Shape{1}));
  b.output(b.op("TensorScatter", {cache, rows, begin}));
  const Model model = b.model();
  Context context(model);
  Tensor x = Tensor::of<float>({1, 1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<Tensor> inputs{x, Tensor::of<float>({1, 1, 1, 2}, {9, 10}), Tensor::of<int64_t>({2})};
  const auto outputs = context.run(inputs, {.outputs = {x}});
  EXPECT_EQ(outputs[0].raw(), x.raw());
  EXPECT_TRUE(identical(x, Tensor::of<float>({1, 1, 4, 2}, {1, 2, 3, 4, 9, 10, 7, 8})));
  EXPECT_EQ(latest_plans(model)[0]->outputs[0].over_input, 0);
}

/// A branch writes a row into a cache, whose previous elements are summed.
Model model_with_branch(int optimization) {
  GraphBuilder branch(24);
  const Shape cache_shape{1, 1, 4, 2};
  const ValueId inner_cache = branch.input("inner_cache", cache_shape);
  const ValueId inner_rows = branch.input("inner_rows", Shape{1, 1, 1, 2});
  branch.output(branch.op("TensorScatter", {inner_cache, inner_rows, branch.constant(Tensor::of<int64_t>({2}))}));
  GraphBuilder same(24);
  const ValueId kept = same.input("kept_cache", cache_shape);
  same.input("kept_rows", Shape{1, 1, 1, 2});
  same.output(same.op("Neg", {kept}));
  GraphBuilder b(24);
  const ValueId writes = b.input("writes", Fact(DType::kBool, Shape{}));
  const ValueId cache = b.input("cache", cache_shape), rows = b.input("rows", Shape{1, 1, 1, 2});
  const Attributes bodies{{"then_branch", branch.shared()}, {"else_branch", same.shared()}};
  b.output(b.ops("If", {writes, cache, rows}, 1, bodies, {}, 2)[0]);
  b.output(b.op("ReduceSum", {cache}));
  ModelOptions options;
  options.optimization = optimization;
  return b.model(options);
}

// Both a branch that writes over an input of the model and one that does not must read it as separate memory.
TEST(GivenOutputs, MayBeInMemoryOfAnInputThatABranchReads) {
  for (const int optimization : {0, 2}) {
    const Model model = model_with_branch(optimization);
    Context context(model);
    for (const bool writes : {true, false}) {
      const Tensor x = Tensor::of<float>({1, 1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
      const std::vector<Tensor> inputs{Tensor::scalar(writes), x, Tensor::of<float>({1, 1, 1, 2}, {9, 10})};
      std::vector<Tensor> expected;
      for (const Tensor& output : context.run(inputs)) expected.push_back(output.clone());
      const auto outputs = context.run(inputs, {.outputs = {x}});
      EXPECT_TRUE(identical(x, expected[0])) << writes;
      EXPECT_TRUE(identical(outputs[1], expected[1])) << writes;
    }
  }
}

TEST(GivenOutputs, MayBeInMemoryOfAnInputOfOldOpsets) {
  GraphBuilder b(11);
  const ValueId x = b.input("x", Shape{2, 2});
  const ValueId soft = b.op("Softmax", {x}, {{"axis", int64_t{0}}});
  b.output(b.op("Clip", {b.op("Sub", {x, soft})}));
  b.output(soft);
  Context context(b.model());
  std::vector<Tensor> expected;
  for (const Tensor& output : context.run(std::vector{kInput})) expected.push_back(output.clone());
  const Tensor memory = kInput.clone();
  const auto outputs = context.run(std::vector{memory}, {.outputs = {memory}});
  EXPECT_TRUE(identical(memory, expected[0]));
  EXPECT_TRUE(identical(outputs[1], expected[1]));
}

TEST(GivenOutputs, MustNotOverlapOtherwise) {
  Context context(model_of_all_outputs());
  Tensor around(DType::kFloat32, {3, 2});
  std::vector<Tensor> given{Tensor::wrap(DType::kFloat32, {2, 2}, around.data<float>() + 2)};
  const Tensor x = Tensor::wrap(DType::kFloat32, {2, 2}, around.raw());
  std::fill_n(around.data<float>(), 6, 1.0f);
  expect_error(ErrorKind::kShape, "overlaps", [&] { context.run(std::vector{x}, {.outputs = given}); });
  given = memory();
  given[5] = given[0];
  expect_error(ErrorKind::kShape, "overlaps", [&] { context.run(std::vector{kInput}, {.outputs = given}); });
}

}  // namespace
}  // namespace linnet::testing
