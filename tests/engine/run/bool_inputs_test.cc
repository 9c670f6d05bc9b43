#include <gtest/gtest.h>

#include "linnet/containers.h"
#include "support/graph_builder.h"
#include "support/run_op.h"
#include "tensor/bool_bytes.h"

namespace linnet::testing {
namespace {

const Shape kShape{600};

/// Every third byte is true: 1, 2 and 255 in turn.
Tensor bools(bool normal, const Shape& shape = kShape) {
  Tensor x(DType::kBool, shape);
  auto* bytes = static_cast<uint8_t*>(x.raw());
  for (int64_t i = 0; i < x.size(); ++i) {
    const int kind = int(i / 3 % 3);
    bytes[i] = i % 3 != 0 ? 0 : normal || kind == 0 ? 1 : kind == 1 ? 2 : 255;
  }
  return x;
}

/// Adds operators that read the bools in x, each in a different way.
void add_readers(GraphBuilder& b, ValueId x) {
  const ValueId one = b.constant(Tensor::scalar(true)), off = b.op("Not", {x});
  const ValueId yes = b.constant(Tensor::scalar(1.0f)), no = b.constant(Tensor::scalar(0.0f));
  for (const ValueId y : {b.op("NonZero", {x}), off, b.op("And", {x, one}), b.op("Or", {x, off}), b.op("Xor", {x, one}),
                          b.op("Equal", {x, one}), b.op("Where", {x, yes, no}), b.op("Compress", {x, x}),
                          b.op("Cast", {x}, {{"to", int64_t(DType::kFloat32)}}), b.op("Identity", {x})}) {
    b.output(y);
  }
}

void expect_same(std::span<const Tensor> got, std::span<const Tensor> want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(identical(got[i], want[i])) << i;
}

TEST(BoolInputs, OtherBytesThanOneAreTrueEverywhere) {
  GraphBuilder b;
  add_readers(b, b.input("x", Fact(DType::kBool, kShape)));
  const Model model = b.model();
  Context context(model), other(model);
  const Tensor given = bools(false), before = given.clone();
  expect_same(context.run(std::vector{given}), other.run(std::vector{bools(true)}));
  EXPECT_TRUE(identical(given, before));
}

TEST(BoolInputs, OneOtherByteIsFoundAtAnyAddress) {
  std::vector<uint8_t> memory(4096, 1);
  for (const int64_t count : {1, 15, 63, 1024, 1100, 3000}) {
    for (size_t offset = 0; offset < 33; ++offset) {
      const Tensor view = Tensor::wrap(DType::kBool, Shape{count}, memory.data() + offset);
      EXPECT_FALSE(has_other_bools(view)) << count << " at " << offset;
      for (const int64_t place : {int64_t{0}, count / 2, count - 1}) {
        memory[offset + size_t(place)] = 2;
        EXPECT_TRUE(has_other_bools(view)) << place << " of " << count << " at " << offset;
        memory[offset + size_t(place)] = 1;
      }
    }
  }
}

/// Runs the model on normal bools first, so that a plan exists, then on others.
void expect_same_in_later_runs(const GraphBuilder& b, size_t inputs, const Shape& shape = kShape) {
  const Model model = b.model();
  Context context(model), other(model);
  context.run(std::vector(inputs, bools(true, shape)));
  const std::vector others(inputs, bools(false, shape)), normal(inputs, bools(true, shape));
  for (int i = 0; i < 2; ++i) expect_same(context.run(others), other.run(normal));
}

TEST(BoolInputs, LaterRunsReadThemAsTheFirstDoes) {
  GraphBuilder b;
  add_readers(b, b.input("x", Fact(DType::kBool, kShape)));
  expect_same_in_later_runs(b, 1);
}

TEST(BoolInputs, KernelsThatReadEveryByteGiveZeroAndOne) {
  for (const char* op : {"And", "Or", "Xor", "Equal"}) {
    GraphBuilder b;
    const ValueId x = b.input("x", Fact(DType::kBool, kShape)), y = b.input("y", Fact(DType::kBool, kShape));
    const ValueId z = b.op(op, {x, y});
    b.output(z);
    b.output(b.op("Not", {x}));
    b.output(b.op("Where", {y, z, b.constant(Tensor::scalar(true))}));
    expect_same_in_later_runs(b, 2);
  }
}

TEST(BoolInputs, ATriangleOfEveryByteIsZeroAndOne) {
  const Shape shape{20, 30};
  GraphBuilder b;
  b.output(b.op("Trilu", {b.input("x", Fact(DType::kBool, shape))}));
  expect_same_in_later_runs(b, 1, shape);
}

TEST(BoolInputs, WhatOnlyOneReaderTakesIsNormal) {
  for (const char* op : {"NonZero", "Identity"}) {
    GraphBuilder b;
    const ValueId x = b.input("x", Fact(DType::kBool, kShape));
    b.output(b.op("Not", {x}));
    b.output(b.op(op, {x}));
    expect_same_in_later_runs(b, 1);
  }
}

TEST(BoolInputs, AnInputThatIsNormalIsNotCopied) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kBool, kShape));
  b.output(b.op("Not", {x}));
  const Model model = b.model();
  Context context(model);
  const Tensor given = bools(true);
  EXPECT_EQ(given.raw(), normalized_bools(given).raw());
  EXPECT_EQ(context.run(std::vector{given})[0].size(), given.size());
}

TEST(BoolInputs, SequencesAndStatesHoldThemToo) {
  GraphBuilder b;
  const Fact tensor(DType::kBool, kShape);
  const ValueId state = b.input("state", tensor);
  const ValueId list = b.input("list", Fact::sequence(tensor));
  b.output(b.op("NonZero", {b.op("SequenceAt", {list, b.constant(Tensor::scalar(int64_t{0}))})}));
  b.output(b.op("NonZero", {state}));
  b.output(b.op("Identity", {state}));
  const Model model = b.model();
  const auto run = [&](bool normal) {
    Context context(model);
    context.bind_state(model.outputs()[2].name, "state", bools(normal));
    const std::vector inputs{Tensor(), Tensor::scalar(Sequence{{bools(normal)}})};
    std::vector<Tensor> all;
    for (int i = 0; i < 2; ++i) {
      for (const Tensor& y : context.run(inputs).first(2)) all.push_back(y.clone());
      context.set_state("state", bools(normal));
      all.push_back(context.state("state").clone());
    }
    return all;
  };
  expect_same(run(false), run(true));
}

TEST(BoolInputs, SoAreReplacedWeights) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kBool, kShape));
  const ValueId weight = b.constant(bools(true));
  const std::string name = b.graph().value(weight).name;
  b.output(b.op("NonZero", {b.op("And", {x, weight})}));
  ModelOptions options;
  options.replaceable_weights = true;
  const Model model = b.model(options);
  Tensor all = bools(true);
  std::fill_n(all.data<bool>(), all.size(), true);
  Context got(model.with_weights({{name, bools(false)}})), want(model);
  expect_same(got.run(std::vector{all}), want.run(std::vector{all}));
}

TEST(BitCast, BytesAsBoolsAreZeroOrOne) {
  const Tensor given = bools(false);
  Tensor bytes(DType::kUint8, kShape);
  std::copy_n(static_cast<const uint8_t*>(given.raw()), given.size(), bytes.data<uint8_t>());
  for (const bool constant : {false, true}) {
    GraphBuilder got(26), want(26);
    const ValueId x = constant ? got.constant(bytes) : got.input("x", Fact(DType::kUint8, kShape));
    add_readers(got, got.op("BitCast", {x}, {{"to", int64_t(DType::kBool)}}));
    add_readers(want, want.input("x", Fact(DType::kBool, kShape)));
    const std::vector<Tensor> inputs = constant ? std::vector<Tensor>() : std::vector{bytes};
    expect_same(run_model(got.model(), inputs), run_model(want.model(), {bools(true)}));
  }
}

}  // namespace
}  // namespace linnet::testing
