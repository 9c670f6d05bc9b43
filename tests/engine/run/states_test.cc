#include <gtest/gtest.h>

#include "support/counted_new.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// h' = tanh(x + 2 h): a state of fixed size. Inputs: x, h. Outputs: y1 = x + h, y2 = h'.
Model recurrent_model() {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{8, 8}), h = b.input("h", Shape{8, 8});
  const ValueId sum = b.op("Add", {x, h});
  b.output(sum);
  b.output(b.op("Tanh", {b.op("Add", {sum, h})}));
  return b.model();
}

/// Rows appended to past ones, and the sum of all: a growing state. Inputs: row, past. Outputs: the sums, all rows.
Model growing_model() {
  GraphBuilder b;
  const ValueId row = b.input("row", Fact(DType::kFloat32, Dims{2, Dim("S"), 3}));
  const ValueId past = b.input("past", Fact(DType::kFloat32, Dims{2, Dim("P"), 3}));
  const ValueId all = b.op("Concat", {past, row}, {{"axis", int64_t{1}}});
  b.output(b.op("ReduceSum", {all, b.constant(Tensor::of<int64_t>({1}))}, {{"keepdims", int64_t{0}}}));
  b.output(all);
  return b.model();
}

std::string output_name(const Model& model, size_t i) { return model.outputs()[i].name; }

Context growing_context(const Model& model, const ContextOptions& options = {}) {
  Context context(model, options);
  context.bind_state(output_name(model, 1), "past", Tensor(DType::kFloat32, {2, 0, 3}));
  return context;
}

Tensor row_of(unsigned seed) { return random_tensor({2, 1, 3}, seed); }

Tensor sums_of(Context& context, const Tensor& row) { return context.run({{"row", row}})[0].clone(); }

TEST(State, IsTheInputOfTheNextRun) {
  const Model model = recurrent_model();
  Context context(model), by_hand(model);
  Tensor h = random_tensor({8, 8}, 1);
  context.bind_state(output_name(model, 1), "h", h);
  for (unsigned i = 0; i < 4; ++i) {
    const Tensor x = random_tensor({8, 8}, 10 + i);
    const auto expected = by_hand.run(std::vector{x, h});
    const auto got = context.run(std::vector{x, Tensor()});
    EXPECT_TRUE(identical(got[0], expected[0])) << i;
    EXPECT_FALSE(got[1]);
    h = expected[1];
    EXPECT_TRUE(identical(context.state("h"), h)) << i;
  }
}

TEST(State, Grows) {
  const Model model = growing_model();
  Context context = growing_context(model);
  std::vector<float> sums(6, 0);
  for (unsigned i = 0; i < 40; ++i) {
    const Tensor row = row_of(i);
    const Tensor got = sums_of(context, row);
    for (size_t j = 0; j < 6; ++j) sums[j] += row.data<float>()[j];
    expect_close(got, Tensor::of({2, 3}, sums));
    EXPECT_EQ(context.state("past").shape(), Shape({2, i + 1, 3}));
  }
}

TEST(State, OfOneSizeAllocatesNothing) {
  const Model model = recurrent_model();
  Context context(model, {.executor = make_serial_executor()});
  context.bind_state(output_name(model, 1), "h", random_tensor({8, 8}, 1));
  const std::vector<Tensor> inputs{random_tensor({8, 8}, 2), Tensor()};
  for (int i = 0; i < 3; ++i) context.run(inputs);
  const int64_t before = allocation_count();
  for (int i = 0; i < 5; ++i) context.run(inputs);
  EXPECT_EQ(allocation_count() - before, 0);
}

TEST(State, IsTruncatedResetAndSet) {
  const Model model = growing_model();
  Context context = growing_context(model), other = growing_context(model);
  for (unsigned i = 0; i < 5; ++i) context.run({{"row", row_of(i)}});
  for (unsigned i = 0; i < 3; ++i) other.run({{"row", row_of(i)}});
  context.truncate_states(3);
  EXPECT_TRUE(identical(context.state("past"), other.state("past")));
  EXPECT_TRUE(identical(sums_of(context, row_of(7)), sums_of(other, row_of(7))));
  context.reset_states();
  other.set_state("past", Tensor(DType::kFloat32, {2, 0, 3}));
  EXPECT_TRUE(identical(sums_of(context, row_of(8)), sums_of(other, row_of(8))));
  EXPECT_EQ(context.state("past").dim(1), 1);
}

TEST(State, IsTruncatedBeforeItHasGrown) {
  const Model model = growing_model();
  Context context = growing_context(model);
  const Tensor rows = random_tensor({2, 5, 3}, 1);
  context.set_state("past", rows);
  context.truncate_states(2);
  EXPECT_EQ(context.state("past").shape(), Shape({2, 2, 3}));
  EXPECT_EQ(context.state("past").data<float>()[6], rows.data<float>()[15]);
  const Model recurrent = recurrent_model();
  Context fixed(recurrent);
  fixed.bind_state(output_name(recurrent, 1), "h", random_tensor({8, 8}, 1));
  fixed.truncate_states(2);
  EXPECT_EQ(fixed.state("h").shape(), Shape({8, 8}));
}

TEST(State, IsNotCutAlongItsBatch) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("B"), 4}));
  b.output(b.op("ReduceSum", {x}));
  b.output(b.op("Add", {x, b.input("h", Fact(DType::kFloat32, Dims{Dim("B"), 4}))}));
  const Model model = b.model();
  Context context(model);
  context.bind_state(output_name(model, 1), "h", random_tensor({3, 4}));
  context.truncate_states(1);
  EXPECT_EQ(context.state("h").shape(), Shape({3, 4}));
}

TEST(State, OfAnotherRankHasNotGrown) {
  GraphBuilder b;
  const ValueId row = b.input("row", Fact(DType::kFloat32, Dims{2, 3, 1}));
  const ValueId past = b.input("past", Fact(DType::kFloat32, std::nullopt));
  b.output(b.op("ReduceSum", {row}));
  b.output(b.op("Concat", {past, row}, {{"axis", int64_t{2}}}));
  const Model model = b.model();
  Context context(model);
  context.bind_state(output_name(model, 1), "past", Tensor(DType::kFloat32, {2, 3, 0}));
  for (unsigned i = 0; i < 3; ++i) context.run({{"row", random_tensor({2, 3, 1}, i)}});
  EXPECT_EQ(context.state("past").shape(), Shape({2, 3, 3}));
  context.set_state("past", random_tensor({2, 3}));
  context.truncate_states(1);
  EXPECT_EQ(context.state("past").shape(), Shape({2, 3}));
  expect_error(ErrorKind::kShape, "", [&] { context.run({{"row", random_tensor({2, 3, 1})}}); });
  context.reset_states();
  context.run({{"row", random_tensor({2, 3, 1})}});
  EXPECT_EQ(context.state("past").shape(), Shape({2, 3, 1}));
}

TEST(State, ForksGoTheirOwnWays) {
  const Model model = growing_model();
  Context context = growing_context(model);
  context.run({{"row", row_of(1)}});
  Context fork = context.fork();
  const Tensor before = context.state("past").clone();
  fork.run({{"row", row_of(2)}});
  EXPECT_TRUE(identical(context.state("past"), before));
  Context expected = growing_context(model);
  expected.run({{"row", row_of(1)}});
  EXPECT_TRUE(identical(sums_of(context, row_of(3)), sums_of(expected, row_of(3))));
  EXPECT_EQ(fork.state("past").dim(1), 2);
}

TEST(State, DoesNotDependOnTheMemoryOfItsInitialValue) {
  const Model model = recurrent_model();
  Tensor h = random_tensor({8, 8}, 1);
  Context context(model), other(model);
  context.bind_state(output_name(model, 1), "h", h);
  other.bind_state(output_name(model, 1), "h", h.clone());
  std::fill_n(h.data<float>(), h.size(), 9.0f);
  const Tensor x = random_tensor({8, 8}, 2);
  EXPECT_TRUE(identical(context.run({{"x", x}})[0], other.run({{"x", x}})[0]));
}

TEST(State, StaysAsItIsWhereARunFails) {
  const Model model = growing_model();
  Context context = growing_context(model);
  context.run({{"row", row_of(1)}});
  const Tensor before = context.state("past").clone();
  const auto cancelled = std::make_shared<CancellationToken>();
  cancelled->cancel();
  expect_error(ErrorKind::kCancelled, "", [&] { context.run({{"row", row_of(2)}}, {.cancellation = cancelled}); });
  expect_error(ErrorKind::kShape, "", [&] { context.run({{"row", random_tensor({3, 1, 3})}}); });
  EXPECT_TRUE(identical(context.state("past"), before));
  context.run({{"row", row_of(2)}});
  EXPECT_EQ(context.state("past").dim(1), 2);
}

TEST(State, CountsAgainstTheMemoryOfARun) {
  const Model model = growing_model();
  Context context = growing_context(model, {.limits = {.memory_bytes = 64 << 10}});
  context.set_state("past", random_tensor({2, 2500, 3}));
  expect_error(ErrorKind::kLimit, "more than the limit of 65536", [&] { context.run({{"row", row_of(1)}}); });
  expect_error(ErrorKind::kLimit, "more than the limit of 65536", [&] {
    context.set_state("past", random_tensor({2, 2600, 3}));
  });
  EXPECT_EQ(context.state("past").dim(1), 2500);
  context.reset_states();
  context.run({{"row", row_of(1)}});
}

TEST(State, RefusesWhatDoesNotFit) {
  const Model model = growing_model();
  const std::string sums = output_name(model, 0), rows = output_name(model, 1);
  const Tensor none(DType::kFloat32, {2, 0, 3});
  Context context(model);
  expect_error(ErrorKind::kModel, "there is no output 'z'; they are '" + sums,
               [&] { context.bind_state("z", "past", none); });
  expect_error(ErrorKind::kModel, "there is no input 'z'; they are 'row', 'past'",
               [&] { context.bind_state(rows, "z", none); });
  expect_error(ErrorKind::kShape, "input 'past' must be float32[2,P,3]",
               [&] { context.bind_state(sums, "past", none); });
  expect_error(ErrorKind::kShape, "input 'past' must be float32[2,P,3], got float32[2,3]", [&] {
    context.bind_state(rows, "past", random_tensor({2, 3}));
  });
  expect_error(ErrorKind::kType, "input 'past' must be float32, got int64", [&] {
    context.bind_state(rows, "past", Tensor(DType::kInt64, {2, 0, 3}));
  });
  expect_error(ErrorKind::kModel, "no state is bound to an input 'past'", [&] { context.state("past"); });
  context.bind_state(rows, "past", none);
  expect_error(ErrorKind::kModel, "input 'past' is a state already", [&] { context.bind_state(rows, "past", none); });
  expect_error(ErrorKind::kModel, "input 'past' is a state: give an empty Tensor", [&] {
    context.run({{"row", row_of(1)}, {"past", none}});
  });
  expect_error(ErrorKind::kModel, "is a state: no memory is needed for it", [&] {
    context.run({{"row", row_of(1)}}, {.outputs = {Tensor(), Tensor(DType::kFloat32, {2, 1, 3})}});
  });
  expect_error(ErrorKind::kShape, "the length must not be negative, got -1", [&] { context.truncate_states(-1); });
  context.run({{"row", row_of(1)}});
  expect_error(ErrorKind::kShape, "the length must not be negative, got -1", [&] { context.truncate_states(-1); });
  expect_error(ErrorKind::kShape, "the length must be in [0,1], that of state 'past', got 2",
               [&] { context.truncate_states(2); });
}

}  // namespace
}  // namespace linnet::testing
