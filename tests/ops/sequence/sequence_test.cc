#include <gtest/gtest.h>

#include "linnet/containers.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

Tensor ints(const Ints& values) { return Tensor::of(values); }
Tensor sequence_of(const std::vector<Tensor>& elements) { return Tensor::scalar(Sequence{elements}); }
Fact ints_sequence() { return Fact::sequence(Fact(DType::kInt64, std::nullopt)); }

void expect_sequence(const Tensor& got, const std::vector<Tensor>& want) {
  ASSERT_EQ(got.dtype(), DType::kSequence);
  EXPECT_TRUE(identical(got, sequence_of(want))) << describe(got);
}

// Runs one operator whose first input is a sequence of int64 tensors.
Tensor run_on_sequence(const std::string& op, const Tensor& sequence, const std::vector<Tensor>& more = {},
                       const Attributes& attributes = {}) {
  GraphBuilder b;
  std::vector<ValueId> inputs{b.input("s", ints_sequence())};
  std::vector<Tensor> values{sequence};
  for (const Tensor& tensor : more) {
    inputs.push_back(tensor ? b.input("x" + std::to_string(inputs.size()), Fact(tensor.dtype(), tensor.shape()))
                            : kNoValue);
    if (tensor) values.push_back(tensor);
  }
  b.output(b.op(op, inputs, attributes));
  return run_model(b.model(), values)[0];
}

TEST(Sequence, ConstructHoldsItsInputsAndAtTakesOneOut) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kInt64, Shape{2})), y = b.input("y", Fact(DType::kInt64, Shape{3}));
  const ValueId s = b.op("SequenceConstruct", {x, y, x});
  b.output(s);
  b.output(b.op("SequenceAt", {s, b.constant(Tensor::scalar(int64_t{-2}))}));
  // The input is after a value whose shape is known only in the run.
  b.output(b.op("Add", {b.op("SequenceAt", {s, b.constant(Tensor::scalar(int32_t{0}))}), x}));
  b.output(b.op("SequenceLength", {s}));
  const auto got = run_model(b.model(), {ints({1, 2}), ints({3, 4, 5})});
  expect_sequence(got[0], {ints({1, 2}), ints({3, 4, 5}), ints({1, 2})});
  expect_close(got[1], ints({3, 4, 5}));
  expect_close(got[2], ints({2, 4}));
  expect_close(got[3], Tensor::scalar(int64_t{3}));
}

TEST(Sequence, ElementsAreCheckedInEveryRun) {
  GraphBuilder b;
  b.output(b.op("ConcatFromSequence", {b.input("s", Fact::sequence(Fact(DType::kInt8, std::nullopt)))},
                {{"axis", int64_t{0}}}));
  const Model model = b.model();
  Context context(model);
  const std::vector<Tensor> fitting{sequence_of({Tensor::of<int8_t>({1, 2})})}, wide{sequence_of({ints({1, 2})})};
  expect_close(context.run(fitting)[0], Tensor::of<int8_t>({1, 2}));
  expect_error(ErrorKind::kShape, "must be sequence(int8)", [&] { context.run(wide); });
}

TEST(Sequence, SequencesOfSequencesAreNotJoined) {
  GraphBuilder b;
  b.output(b.op("ConcatFromSequence", {b.input("s", Fact::sequence(ints_sequence()))},
                {{"axis", int64_t{0}}, {"new_axis", int64_t{1}}}));
  expect_error(ErrorKind::kType, "must be tensors", [&] { b.model(); });
}

TEST(Sequence, IsNoElementOfATensor) {
  expect_error(ErrorKind::kType, "a sequence has the shape []", [] { Tensor(DType::kSequence, {2}); });
}

TEST(Sequence, InsertAndEraseTakePositionsFromBothEnds) {
  const Tensor a = ints({1}), b = ints({2, 2}), c = ints({3}), x = ints({9});
  const Tensor s = sequence_of({a, b, c});
  const auto at = [](int64_t position) { return Tensor::scalar(position); };
  expect_sequence(run_on_sequence("SequenceInsert", s, {x}), {a, b, c, x});
  expect_sequence(run_on_sequence("SequenceInsert", s, {x, at(3)}), {a, b, c, x});
  expect_sequence(run_on_sequence("SequenceInsert", s, {x, at(0)}), {x, a, b, c});
  expect_sequence(run_on_sequence("SequenceInsert", s, {x, at(-1)}), {a, b, x, c});
  expect_sequence(run_on_sequence("SequenceErase", s), {a, b});
  expect_sequence(run_on_sequence("SequenceErase", s, {at(-3)}), {b, c});
}

TEST(Sequence, RefusesPositionsOutsideOfIt) {
  const Tensor s = sequence_of({ints({1}), ints({2})});
  const auto at = [](int64_t position) { return Tensor::scalar(position); };
  for (const int64_t position : {-3, 2}) {
    expect_error(ErrorKind::kShape, "outside [-2, 2)", [&] { run_on_sequence("SequenceAt", s, {at(position)}); });
    expect_error(ErrorKind::kShape, "outside [-2, 2)", [&] { run_on_sequence("SequenceErase", s, {at(position)}); });
  }
  expect_error(ErrorKind::kShape, "outside", [&] { run_on_sequence("SequenceInsert", s, {ints({3}), at(3)}); });
  expect_error(ErrorKind::kShape, "empty", [&] { run_on_sequence("SequenceErase", sequence_of({})); });
  expect_error(ErrorKind::kType, "int64 and float32",
               [&] { run_on_sequence("SequenceInsert", s, {Tensor::scalar(1.f)}); });
}

TEST(Sequence, ConcatJoinsOrStacks) {
  const Tensor a = Tensor::of(Shape{2, 1}, Ints{1, 2}), b = Tensor::of(Shape{2, 2}, Ints{3, 4, 5, 6});
  expect_close(run_on_sequence("ConcatFromSequence", sequence_of({a, b}), {}, {{"axis", int64_t{-1}}}),
               Tensor::of(Shape{2, 3}, Ints{1, 3, 4, 2, 5, 6}));
  expect_close(run_on_sequence("ConcatFromSequence", sequence_of({ints({1, 2}), ints({3, 4})}), {},
                               {{"axis", int64_t{1}}, {"new_axis", int64_t{1}}}),
               Tensor::of(Shape{2, 2}, Ints{1, 3, 2, 4}));
  const auto join = [](const std::vector<Tensor>& elements) {
    run_on_sequence("ConcatFromSequence", sequence_of(elements), {}, {{"axis", int64_t{0}}});
  };
  expect_error(ErrorKind::kShape, "cannot be joined", [&] { join({a, b}); });
  expect_error(ErrorKind::kShape, "cannot be joined", [&] { join({a, ints({1})}); });
  expect_error(ErrorKind::kShape, "empty", [&] { join({}); });
}

Tensor split(const Tensor& x, const Tensor& sizes, const Attributes& attributes = {}) {
  GraphBuilder b;
  std::vector<ValueId> inputs{b.input("x", Fact(x.dtype(), x.shape()))};
  if (sizes) inputs.push_back(b.constant(sizes));
  b.output(b.op("SplitToSequence", inputs, attributes));
  return run_model(b.model(), {x})[0];
}

TEST(Sequence, SplitCutsByOneSizeByManyOrIntoSingleRows) {
  const Tensor x = ints({1, 2, 3, 4, 5});
  expect_sequence(split(x, Tensor::scalar(int64_t{2})), {ints({1, 2}), ints({3, 4}), ints({5})});
  expect_sequence(split(x, ints({1, 0, 4})), {ints({1}), ints({}), ints({2, 3, 4, 5})});
  const Tensor table = Tensor::of(Shape{2, 2}, Ints{1, 2, 3, 4});
  expect_sequence(split(table, {}, {{"axis", int64_t{1}}}),
                  {Tensor::of(Shape{2, 1}, Ints{1, 3}), Tensor::of(Shape{2, 1}, Ints{2, 4})});
  expect_sequence(split(table, {}, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}}), {ints({1, 3}), ints({2, 4})});
  // If the lengths are given, keepdims has no effect.
  for (const Tensor& ones : {Tensor::scalar(int64_t{1}), ints({1, 1})}) {
    expect_sequence(split(table, ones, {{"keepdims", int64_t{0}}}),
                    {Tensor::of(Shape{1, 2}, Ints{1, 2}), Tensor::of(Shape{1, 2}, Ints{3, 4})});
  }
  expect_error(ErrorKind::kShape, "adds up to 4", [&] { split(x, ints({1, 3})); });
  expect_error(ErrorKind::kShape, "must be positive", [&] { split(x, Tensor::scalar(int64_t{0})); });
  expect_error(ErrorKind::kShape, "negative", [&] { split(x, ints({6, -1})); });
}

TEST(Sequence, OtherOperatorsRefuseIt) {
  expect_error(ErrorKind::kType, "input 0 must be a tensor, got sequence(int64)",
               [] { run_on_sequence("Flatten", sequence_of({})); });
}

TEST(Sequence, AWrongElementIsRefusedAtTheInput) {
  expect_error(ErrorKind::kShape, "must be sequence(int64)",
               [] { run_on_sequence("SequenceLength", sequence_of({Tensor::scalar(1.f)})); });
}

std::shared_ptr<const Graph> appending_body() {
  GraphBuilder body;
  const ValueId i = body.input("i", Fact(DType::kInt64, Shape{})),
                cond = body.input("cond", Fact(DType::kBool, Shape{}));
  const ValueId s = body.input("s", ints_sequence());
  body.output(body.op("Identity", {cond}));
  body.output(body.op("SequenceInsert", {s, i}));
  return body.shared();
}

TEST(Sequence, ALoopCarriesIt) {
  GraphBuilder b;
  const ValueId trips = b.input("n", Fact(DType::kInt64, Shape{}));
  const ValueId empty = b.op("SequenceEmpty", {}, {{"dtype", int64_t{7}}});
  const ValueId s = b.op("Loop", {trips, kNoValue, empty}, {{"body", appending_body()}});
  b.output(s);
  const Model model = b.model();
  Context context(model);
  for (const int64_t n : {3, 0, 2}) {
    std::vector<Tensor> want;
    for (int64_t i = 0; i < n; ++i) want.push_back(Tensor::scalar(i));
    expect_sequence(context.run(std::vector{Tensor::scalar(n)})[0], want);
  }
}

TEST(Sequence, ALoopMayBeginWithAnOptionalOne) {
  GraphBuilder body;
  const ValueId i = body.input("i", Fact(DType::kInt64, Shape{})),
                cond = body.input("cond", Fact(DType::kBool, Shape{}));
  const ValueId s = body.input("s", Fact::optional(ints_sequence()));
  body.output(body.op("Identity", {cond}));
  body.output(body.op("SequenceInsert", {body.op("OptionalGetElement", {s}), i}));
  GraphBuilder b;
  const ValueId trips = b.input("n", Fact(DType::kInt64, Shape{}));
  const ValueId start = b.input("s", Fact::optional(ints_sequence()));
  b.output(b.op("Loop", {trips, kNoValue, start}, {{"body", body.shared()}}));
  const Model model = b.model();
  const Tensor held = Tensor::scalar(Optional{sequence_of({ints({5, 6})})});
  const auto run = [&](int64_t n, const Tensor& s0) { return run_model(model, {Tensor::scalar(n), s0})[0]; };
  expect_sequence(run(0, held), {ints({5, 6})});
  expect_sequence(run(2, held), {ints({5, 6}), Tensor::scalar(int64_t{0}), Tensor::scalar(int64_t{1})});
  expect_error(ErrorKind::kType, "holds nothing", [&] { run(0, Tensor::scalar(Optional{})); });
}

TEST(Sequence, MapAppliesItsBodyToEveryElement) {
  GraphBuilder body;
  const Fact any(DType::kInt64, std::nullopt);
  const ValueId x = body.input("x", any), y = body.input("y", any), offset = body.input("offset", any);
  body.output(body.op("Add", {body.op("Mul", {x, y}), offset}));
  GraphBuilder b;
  const ValueId s = b.input("s", ints_sequence()), t = b.input("t", ints_sequence());
  const ValueId captured = b.constant(ints({100}));
  b.output(b.ops("SequenceMap", {s, t, captured}, 1, {{"body", body.shared()}}, "", 1)[0]);
  const Model model = b.model();
  const Tensor u = sequence_of({ints({1, 2}), ints({3})}), v = sequence_of({ints({2}), ints({4, 5, 6})});
  expect_sequence(run_model(model, {u, v})[0], {ints({102, 104}), ints({112, 115, 118})});
  expect_error(ErrorKind::kShape, "2 and 1 elements", [&] { run_model(model, {u, sequence_of({ints({1})})}); });
}

TEST(Sequence, MapGivesItsBodyCapturedSequencesWhole) {
  GraphBuilder body;
  const ValueId x = body.input("x", Fact(DType::kInt64, std::nullopt)), s = body.input("s", ints_sequence());
  body.output(body.op("Add", {x, body.op("SequenceLength", {s})}));
  GraphBuilder b;
  const ValueId mapped = b.input("s", ints_sequence()), whole = b.input("t", ints_sequence());
  b.output(b.ops("SequenceMap", {mapped, whole}, 1, {{"body", body.shared()}}, "", 1)[0]);
  const Tensor u = sequence_of({ints({1, 2}), ints({3})}), v = sequence_of({ints({0}), ints({0}), ints({0})});
  expect_sequence(run_model(b.model(), {u, v})[0], {ints({4, 5}), ints({6})});
}

TEST(Optional, HoldsAValueOrNothing) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kInt64, Shape{2}));
  const ValueId full = b.op("Optional", {x});
  const ValueId none = b.op("Optional", {}, {{"type", ints_sequence()}});
  b.output(b.op("OptionalHasElement", {full}));
  b.output(b.op("OptionalHasElement", {none}));
  b.output(b.op("OptionalHasElement", {x}));
  b.output(b.op("OptionalHasElement", {kNoValue}));
  b.output(b.op("Neg", {b.op("OptionalGetElement", {full})}));
  b.output(b.op("OptionalGetElement", {x}));
  const auto got = run_model(b.model(), {ints({1, 2})});
  for (int i = 0; i < 4; ++i) expect_close(got[size_t(i)], Tensor::scalar(i == 0 || i == 2));
  expect_close(got[4], ints({-1, -2}));
  expect_close(got[5], ints({1, 2}));
}

TEST(Optional, GivesNothingThatItDoesNotHold) {
  GraphBuilder b;
  b.output(b.op("OptionalGetElement", {b.op("Optional", {}, {{"type", Fact(DType::kFloat32, Shape{2})}})}));
  expect_error(ErrorKind::kType, "holds nothing", [&] { run_model(b.model(), {}); });
}

TEST(Sequence, SplitsIntoAsManyPartsAsMemoryHolds) {
  GraphBuilder b;
  b.output(b.op("SplitToSequence", {b.input("x", Shape{int64_t{1} << 40, 0})}));
  ContextOptions options;
  options.limits.memory_bytes = 1 << 20;
  Context context(b.model(), options);
  const std::vector<Tensor> inputs{random_tensor({int64_t{1} << 40, 0})};
  expect_error(ErrorKind::kLimit, "more than the limit", [&] { context.run(inputs); });
}

}  // namespace
}  // namespace linnet::testing
