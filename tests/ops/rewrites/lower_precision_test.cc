#include <gtest/gtest.h>

#include "ops/rewrites/graph_parts.h"
#include "run/model_graph.h"
#include "support/expect_unchanged.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

Fact fact(DType dtype, const Shape& shape) { return Fact(dtype, shape); }
Attributes cast_attributes(DType to) { return {{"to", int64_t(to)}}; }

ModelOptions as_written() {
  ModelOptions options;
  options.optimization = 0;
  return options;
}

/// Returns two convolutions with typical operators between them. Weights are rounded to `rounded` and stored as
/// `dtype`.
GraphBuilder network(DType dtype, DType rounded) {
  GraphBuilder b;
  const auto weights = [&](const Shape& shape, unsigned seed) {
    return b.constant(cast_to(cast_to(random_tensor(shape, seed), rounded), dtype));
  };
  const ValueId x = b.input("x", fact(dtype, {1, 3, 8, 8}));
  const Attributes same{{"pads", std::vector<int64_t>{1, 1, 1, 1}}};
  ValueId y = b.op("Relu", {b.op("Conv", {x, weights({8, 3, 3, 3}, 1), weights({8}, 2)}, same)});
  y = b.op("Add", {y, b.op("Conv", {y, weights({8, 8, 3, 3}, 3), weights({8}, 4)}, same)});
  y = b.op("Concat", {y, b.op("Sigmoid", {y})}, {{"axis", int64_t{1}}});
  b.output(b.op("GlobalAveragePool", {b.op("MaxPool", {y}, {{"kernel_shape", std::vector<int64_t>{2, 2}}})}));
  return b;
}

TEST(LowerPrecision, ANetworkInHalvesIsThatInFloat32BetweenTwoCasts) {
  for (const DType dtype : kHalves) {
    const GraphBuilder half = network(dtype, dtype), wide = network(DType::kFloat32, dtype);
    std::string ops = "Cast " + optimized_ops(wide);
    ASSERT_TRUE(ops.ends_with(" Transpose"));
    ops.insert(ops.rfind(' '), " Cast");  // Halves have fewer bytes to transpose.
    EXPECT_EQ(optimized_ops(half), ops);
    const Tensor x = cast_to(random_tensor({1, 3, 8, 8}, 9), dtype);
    const Tensor y = run_model(wide.model(), {cast_to(x, DType::kFloat32)})[0];
    expect_close(run_model(half.model(), {x})[0], cast_to(y, dtype));
  }
}

TEST(LowerPrecision, IsNoRewriteThatCanBeLeftOut) {
  for (const DType dtype : kHalves) {
    const Tensor x = cast_to(random_tensor({1, 3, 8, 8}, 9), dtype);
    const GraphBuilder b = network(dtype, dtype);
    expect_close(run_model(b.model(as_written()), {x})[0], run_model(b.model(), {x})[0], 1e-3, 1e-2);
  }
}

TEST(LowerPrecision, AnOutputIsRoundedButReadUnrounded) {
  GraphBuilder b;
  const ValueId x = b.input("x", fact(DType::kFloat16, {64}));
  const ValueId y = b.op("Exp", {x});
  b.output(y);
  b.output(b.op("Log", {y}));
  const Tensor given = cast_to(random_tensor({64}), DType::kFloat16);
  const std::vector<Tensor> outputs = run_model(b.model(), {given});
  const Tensor power = run_op({"Exp"}, {cast_to(given, DType::kFloat32)})[0];
  expect_close(outputs[0], cast_to(power, DType::kFloat16));
  expect_close(outputs[1], given);
}

TEST(LowerPrecision, ACastOfTheModelRounds) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{64});
  b.output(b.op(
      "Neg", {b.op("Cast", {b.op("Cast", {x}, cast_attributes(DType::kFloat16))}, cast_attributes(DType::kFloat32))}));
  const Tensor given = random_tensor({64});
  const Tensor rounded = cast_to(cast_to(given, DType::kFloat16), DType::kFloat32);
  expect_close(run_model(b.model(), {given})[0], run_op({"Neg"}, {rounded})[0]);
}

TEST(LowerPrecision, ACastToFloat32ReadsWhatIsRounded) {
  for (const DType dtype : kHalves) {
    GraphBuilder b;
    const ValueId x = b.input("x", fact(dtype, {16, 8}));
    const ValueId w = b.constant(cast_to(random_tensor({8, 600}, 1), dtype));
    const ValueId powers = b.op("Exp", {x}), products = b.op("MatMul", {x, w});
    const ValueId moved = b.op("Transpose", {b.op("Add", {products, b.op("Relu", {products})})});
    std::vector<ValueId> rounded{powers, products, moved};
    for (const ValueId value : rounded) {
      b.output(value);
      b.output(b.op("Cast", {value}, cast_attributes(DType::kFloat32)));
    }
    const Tensor given = cast_to(random_tensor({16, 8}), dtype);
    for (const ModelOptions& options : {ModelOptions(), as_written()}) {
      const std::vector<Tensor> y = run_model(b.model(options), {given});
      for (size_t i = 0; i < y.size(); i += 2) {
        EXPECT_TRUE(identical(y[i + 1], cast_to(y[i], DType::kFloat32))) << dtype << i;
      }
    }
  }
}

TEST(LowerPrecision, ACastOfAProductThatNobodyElseReadsRoundsIt) {
  for (const DType dtype : kHalves) {
    GraphBuilder b;
    const ValueId x = b.input("x", fact(dtype, {16, 8}));
    const ValueId w = b.constant(cast_to(random_tensor({8, 600}, 1), dtype));
    b.output(b.op("Cast", {b.op("MatMul", {x, w})}, cast_attributes(DType::kFloat32)));
    const Tensor given = cast_to(random_tensor({16, 8}), dtype);
    for (const ModelOptions& options : {ModelOptions(), as_written()}) {
      const Tensor y = run_model(b.model(options), {given})[0];
      EXPECT_TRUE(identical(y, cast_to(cast_to(y, dtype), DType::kFloat32))) << dtype;
    }
  }
}

TEST(LowerPrecision, WhatMovesElementsGoesWithItsInputs) {
  GraphBuilder b;
  const ValueId x = b.input("x", fact(DType::kFloat16, {2, 8}));
  const ValueId table = b.constant(cast_to(random_tensor({9, 8}), DType::kFloat16));
  const ValueId rows = b.op("Gather", {table, b.input("rows", fact(DType::kInt64, {2}))});
  const ValueId y = b.op("Transpose", {b.op("Exp", {b.op("Concat", {x, rows}, {{"axis", int64_t{0}}})})});
  b.output(b.op("Log", {b.op("Concat", {y, b.constant(Tensor(DType::kFloat16, {8, 1}))}, {{"axis", int64_t{1}}})}));
  EXPECT_EQ(optimized_ops(b), "Gather Concat Widen Exp Transpose Concat Log RoundToFloat16");
}

TEST(LowerPrecision, OnlyTheShapeOfAValueNeedsNoCast) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat16, Dims{Dim("N"), 8}));
  b.output(b.op("Shape", {x}));
  b.output(b.op("Shape", {b.op("Relu", {x})}));
  EXPECT_EQ(count_ops(model_graph(b.model(as_written())), "Cast"), 1);
}

TEST(LowerPrecision, ConstantsFoldInFloat32AndRoundOnce) {
  GraphBuilder b;
  const Tensor value = cast_to(random_tensor({16}), DType::kBFloat16);
  b.output(b.op("Exp", {b.constant(value)}));
  const Model model = b.model();
  EXPECT_TRUE(model_graph(model).nodes().empty());
  const Tensor power = run_op({"Exp"}, {cast_to(value, DType::kFloat32)})[0];
  expect_close(run_model(model, {})[0], cast_to(power, DType::kBFloat16));
}

TEST(LowerPrecision, ARangeInHalvesHasAKnownLength) {
  GraphBuilder b;
  const auto number = [&](float value) { return b.constant(cast_to(Tensor::scalar(value), DType::kFloat16)); };
  b.output(b.op("Range", {number(0), number(2), number(0.5f)}));
  EXPECT_EQ(b.model().outputs()[0].fact.shape(), Shape{4});
}

TEST(LowerPrecision, OmittedOutputsStayOmitted) {
  GraphBuilder b;
  const ValueId x = b.input("x", fact(DType::kFloat16, {2, 4, 4, 4}));
  Graph graph = b.graph();
  const NodeId node =
      graph.add_node({.op_type = "Attention", .name = "node", .opset = 24}, {x, x, x}, {"y", "", "", "scores"});
  graph.add_output("y", graph.node(node).outputs[0]);
  graph.add_output("scores", graph.node(node).outputs[3]);
  const Model model = make_model(graph, {});
  for (const NodeId id : model_graph(model).nodes()) {
    const Node& lowered = model_graph(model).node(id);
    if (lowered.spec.op_type != "Attention") continue;
    EXPECT_EQ(lowered.outputs[1], kNoValue);
    EXPECT_EQ(lowered.outputs[2], kNoValue);
  }
  EXPECT_EQ(model.outputs()[1].fact.dtype, DType::kFloat16);
}

TEST(LowerPrecision, ABodyIsGivenAndGivesHalves) {
  GraphBuilder body;
  const ValueId captured = body.input("captured", fact(DType::kFloat16, {8}));
  body.output(body.op("Exp", {captured}));
  GraphBuilder b;
  const ValueId condition = b.input("condition", fact(DType::kBool, {}));
  const ValueId x = b.op("Exp", {b.input("x", fact(DType::kFloat16, {8}))});
  const ValueId y =
      b.ops("If", {condition, x}, 1, {{"then_branch", body.shared()}, {"else_branch", body.shared()}}, {}, 1)[0];
  b.output(b.op("Log", {y}));
  const Tensor given = cast_to(random_tensor({8}), DType::kFloat16);
  const auto rounded_exp = [](const Tensor& value) {
    return cast_to(run_op({"Exp"}, {cast_to(value, DType::kFloat32)})[0], DType::kFloat16);
  };
  const Tensor want = run_op({"Log"}, {rounded_exp(rounded_exp(given))})[0];
  for (const ModelOptions& options : {ModelOptions(), as_written()}) {
    expect_close(run_model(b.model(options), {Tensor::scalar(true), given})[0], want);
  }
}

TEST(LowerPrecision, ErrorsSpeakOfTheTypesOfTheModel) {
  GraphBuilder b;
  const ValueId x = b.input("x", fact(DType::kFloat16, {8})), y = b.input("y", fact(DType::kBFloat16, {8}));
  b.output(b.op("Add", {b.op("Exp", {x}), y}));
  expect_error(ErrorKind::kType, "bfloat16", [&] { b.model(); });
}

}  // namespace
}  // namespace linnet::testing
