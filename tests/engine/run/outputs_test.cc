#include <gtest/gtest.h>

#include "linnet/containers.h"
#include "run/model_graph.h"
#include "support/counted_new.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Outputs: x + h, the new h = tanh(x + 2 h) through intermediate values, and a view of the new h.
Model state_model() {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{8, 8}), h = b.input("h", Shape{8, 8});
  const ValueId sum = b.op("Add", {x, h});
  b.output(sum);
  const ValueId next = b.op("Tanh", {b.op("Add", {sum, h})});
  b.output(next);
  b.output(b.op("Reshape", {next, b.constant(Tensor::of(std::vector<int64_t>{64}))}));
  return b.model();
}

float next_state(float x, float h) { return std::tanh(x + 2 * h); }

void expect_states(const Tensor& got, const Tensor& x, const Tensor& h) {
  for (int64_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got.data<float>()[i], next_state(x.data<float>()[i], h.data<float>()[i]), 1e-5) << i;
  }
}

const Tensor kX = random_tensor({8, 8}, 1), kH = random_tensor({8, 8}, 2);

/// Returns the description of an output of a model of float32[?,3], which its file declares as `declared`.
std::string described_output(const Fact& declared) {
  GraphBuilder b;
  b.output(b.op("Relu", {b.input("x", Fact(DType::kFloat32, Dims{Dim(), 3}))}));
  GraphNotes notes;
  notes.declared = {declared};
  return str(make_model(b.graph(), {}, notes).outputs()[0].fact);
}

TEST(Outputs, AreDescribedAsInferredWithTheDimsThatOnlyTheFileKnows) {
  EXPECT_EQ(described_output(Fact(DType::kFloat32, Dims{Dim("batch"), 3})), "float32[batch,3]");
  EXPECT_EQ(described_output(Fact(DType::kFloat32, Dims{Dim(7), Dim("other")})), "float32[7,3]");
  const std::string inferred = str(Fact(DType::kFloat32, Dims{Dim(), 3}));
  for (const Fact& declared : {Fact(), Fact(DType::kFloat32, std::nullopt), Fact(DType::kInt64, Dims{Dim(7), 3}),
                               Fact(DType::kFloat32, Dims{Dim(7), 3, 1})}) {
    EXPECT_EQ(described_output(declared), inferred) << declared;
  }
}

TEST(Outputs, OutliveTheirContextAndModel) {
  std::vector<Tensor> kept;
  {
    Context context(state_model());
    for (const Tensor& output : context.run(std::vector{kX, kH})) kept.push_back(output);
  }
  expect_states(kept[1], kX, kH);
  expect_states(kept[2], kX, kH);
}

TEST(Outputs, ThatAreHeldStayAsTheyAre) {
  Context context(state_model());
  std::vector<Tensor> kept, copies;
  for (unsigned i = 0; i < 4; ++i) {
    const auto outputs = context.run(std::vector{random_tensor({8, 8}, i), kH});
    kept.push_back(outputs[i % 3]);
    copies.push_back(outputs[i % 3].clone());
  }
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_TRUE(identical(kept[i], copies[i])) << i;
}

TEST(Outputs, ReuseTheirMemoryWhereNobodyHoldsThem) {
  Context context(state_model());
  const std::vector inputs{kX, kH};
  const void* first = context.run(inputs)[1].raw();
  EXPECT_EQ(context.run(inputs)[1].raw(), first);
}

TEST(Outputs, HeldForOneRunTakeTurnsWithoutAllocating) {
  Context context(state_model(), {.executor = make_serial_executor()});
  const std::vector inputs{kX, kH};
  Tensor held;
  for (int i = 0; i < 3; ++i) held = context.run(inputs)[1];
  const int64_t before = allocation_count();
  for (int i = 0; i < 5; ++i) held = context.run(inputs)[1];
  EXPECT_EQ(allocation_count() - before, 0);
}

/// Passes the state back as the input that `feed` makes of it.
template <class F>
void expect_fed_back(F&& feed) {
  Context context(state_model());
  Tensor expected = kH;
  std::span<const Tensor> outputs = context.run(std::vector{kX, kH});
  for (int step = 0; step < 5; ++step) {
    ASSERT_NO_FATAL_FAILURE(expect_states(outputs[1], kX, expected)) << step;
    expected = outputs[1].clone();
    outputs = context.run(std::vector{kX, feed(outputs)});
  }
}

TEST(Outputs, MayBeFedBack) {
  expect_fed_back([](std::span<const Tensor> outputs) { return outputs[1]; });
  expect_fed_back([](std::span<const Tensor> outputs) { return outputs[2].reshaped({8, 8}); });
  expect_fed_back([](std::span<const Tensor> outputs) {
    Tensor output = outputs[1];
    return Tensor::wrap(DType::kFloat32, {8, 8}, output.raw());
  });
}

TEST(Outputs, MayBeTheNextInputsAllTogether) {
  GraphBuilder b;
  const ValueId a = b.input("a", Fact(DType::kFloat32, Dims{Dim("N")})), c = b.input("c", Shape{1});
  const auto add = [&](ValueId v) { return b.op("Concat", {v, b.op("Add", {c, c})}, {{"axis", int64_t{0}}}); };
  b.output(add(a));
  b.output(b.op("Add", {c, c}));
  Context context(b.model());
  std::span<const Tensor> outputs = context.run(std::vector{Tensor::of<float>({1}), Tensor::of<float>({1})});
  for (int i = 0; i < 3; ++i) outputs = context.run(outputs);
  expect_close(outputs[0], Tensor::of<float>({1, 2, 4, 8, 16}));
}

TEST(Outputs, OfBranchesStayAsTheyAreWhereTheyAreHeld) {
  GraphBuilder then_branch, else_branch;
  then_branch.output(then_branch.op("Neg", {then_branch.input("v", Shape{4})}));
  else_branch.output(else_branch.op("Abs", {else_branch.input("v", Shape{4})}));
  GraphBuilder b;
  const ValueId condition = b.input("c", Fact(DType::kBool, Shape{})), v = b.input("v", Shape{4});
  b.output(b.ops("If", {condition, v}, 1,
                 {{"then_branch", then_branch.shared()}, {"else_branch", else_branch.shared()}}, {}, 1)[0]);
  Context context(b.model());
  Tensor value = Tensor::of<float>({1, -2, 3, -4});
  for (int i = 0; i < 4; ++i) value = context.run(std::vector{Tensor::scalar(true), value})[0];
  expect_close(value, Tensor::of<float>({1, -2, 3, -4}));
  const Tensor held = context.run(std::vector{Tensor::scalar(false), value})[0];
  context.run(std::vector{Tensor::scalar(false), Tensor::of<float>({9, 9, 9, 9})});
  expect_close(held, Tensor::of<float>({1, 2, 3, 4}));
}

TEST(Outputs, ThatAreStringsOrContainersStayAsTheyAreWhereTheyAreHeld) {
  GraphBuilder b;
  const ValueId s = b.input("s", Fact(DType::kString, Shape{1}));
  b.output(b.op("Concat", {s, s}, {{"axis", int64_t{0}}}));
  b.output(b.op("SequenceConstruct", {s}));
  Context context(b.model());
  const auto run = [&](const std::string& text) { return context.run(std::vector{Tensor::of(std::vector{text})}); };
  const auto first = run("first");
  const std::vector<Tensor> held(first.begin(), first.end());
  run("second");
  EXPECT_TRUE(identical(held[0], Tensor::of(std::vector<std::string>{"first", "first"})));
  EXPECT_EQ(held[1].data<Sequence>()->elements[0].data<std::string>()[0], "first");
}

TEST(Outputs, OfARunBehindOneThatFailedAreRight) {
  GraphBuilder b(13);
  const ValueId n = b.input("n", Fact(DType::kInt64, Shape{1})), s = b.input("s", Fact(DType::kString, Shape{1}));
  b.output(b.op("Expand", {s, n}));
  b.output(b.op("Neg", {b.input("x", Shape{4})}));
  Context context(b.model());
  const auto run = [&](int64_t count) {
    return context.run(std::vector{Tensor::of(std::vector{count}), Tensor::of(std::vector<std::string>{"a"}),
                                   Tensor::of<float>({1, 2, 3, 4})});
  };
  EXPECT_EQ(run(3)[0].shape(), Shape{3});
  for (int i = 0; i < 2; ++i) expect_error(ErrorKind::kLimit, "", [&] { run(int64_t{1} << 45); });
  const auto outputs = run(5);
  EXPECT_EQ(outputs[0].shape(), Shape{5});
  expect_close(outputs[1], Tensor::of<float>({-1, -2, -3, -4}));
}

}  // namespace
}  // namespace linnet::testing
