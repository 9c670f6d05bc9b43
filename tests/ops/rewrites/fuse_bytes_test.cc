#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "functions/function_table.h"
#include "kernels/isa.h"
#include "support/byte_graph.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"

// Tests chains of element-wise operators that read and write bytes: `fuse_elementwise` around QuantizeLinear and
// DequantizeLinear.
namespace linnet::testing {
namespace {

const Shape kBytes{2, 3, 700};

/// Expects the graph's outputs to be the same bits with all rewrites and without.
void expect_same_bits_on_all_isas(const GraphBuilder& b, const std::vector<Tensor>& inputs) {
  for (const Isa isa : supported_isas()) {
    ModelOptions as_written, optimized;
    as_written.optimization = 0;
    as_written.isa = optimized.isa = isa;
    const std::vector<Tensor> want = run_model(b.model(as_written), inputs);
    for (const int threads : {1, 3}) {
      const std::vector<Tensor> got = run_model(b.model(optimized), inputs, threads);
      for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(identical(got[i], want[i])) << isa_name(isa);
    }
  }
}

TEST(FuseBytes, ASumOfBytesIsOneNode) {
  const Grid a{DType::kUint8, 0.031f, 7}, b{DType::kInt8, 0.27f, -20};
  for (const Grid& y : {Grid{DType::kUint8, 0.11f, 90}, Grid{DType::kInt8, 0.3f, 3}}) {
    ByteGraph g;
    const ValueId sum = g.op("Add", {g.dequantize(g.bytes("a", kBytes), a),  //
                                     g.dequantize(g.bytes("b", kBytes, DType::kInt8), b)});
    g.output(g.quantize(sum, y));
    const std::string last = y.dtype == DType::kInt8 ? "QuantizeInt8" : "QuantizeUint8";
    EXPECT_EQ(optimized_ops(g), "DequantizeLinear DequantizeLinear Add " + last);
    const std::vector<Tensor> x{random_bytes(kBytes, DType::kUint8), random_bytes(kBytes, DType::kInt8, 1)};
    expect_same_bits_on_all_isas(g, x);
    const Tensor got = cast_to(run_model(g.model(), x)[0], DType::kInt32);
    for (int64_t i = 0; i < got.size(); ++i) {
      const double value = a.value(x[0].data<uint8_t>()[i]) + b.value(x[1].data<int8_t>()[i]);
      const double least = least_of(y.dtype);
      const double exact = std::clamp(value / double(y.scale) + y.zero_point, least, least + 255);
      ASSERT_NEAR(got.data<int32_t>()[i], exact, 0.5001);
    }
  }
}

TEST(FuseBytes, EveryBinaryFunctionReadsBytes) {
  for (const BinaryFunction& f : binary_functions()) {
    ByteGraph g;
    const ValueId a = g.dequantize(g.bytes("a", {30, 40})), b = g.input("b", Shape{40});
    g.output(g.quantize(g.op(std::string(f.name), {a, b})));
    EXPECT_EQ(optimized_ops(g), "DequantizeLinear " + std::string(f.name) + " QuantizeUint8");
    expect_same_bits_on_all_isas(g, {random_bytes({30, 40}, DType::kUint8), random_tensor({40})});
  }
}

TEST(FuseBytes, EveryUnaryFunctionBetweenBytesIsATable) {
  for (const UnaryFunction& f : unary_functions()) {
    if (!f.kernel || f.form.attribute || f.since == 0 || f.since > 20) continue;
    for (const DType dtype : {DType::kUint8, DType::kInt8}) {
      ByteGraph g(20);
      const Grid grid{dtype, 0.05f, least_of(dtype) + 128};
      g.output(g.quantize(g.op(std::string(f.name), {g.dequantize(g.bytes("x", {5, 256}, dtype), grid)}), grid));
      expect_same_bits_on_all_isas(g, {random_bytes({5, 256}, dtype)});
    }
  }
}

TEST(FuseBytes, ATableHoldsWhatTheFunctionGivesForEachByte) {
  const Grid x{DType::kInt8, 0.06f, -5}, y{DType::kUint8, 0.004f, 0};
  ByteGraph g;
  g.output(g.quantize(g.op("Sigmoid", {g.dequantize(g.bytes("x", {256}, DType::kInt8), x)}), y));
  EXPECT_EQ(optimized_ops(g), "DequantizeLinear Sigmoid QuantizeUint8");
  Tensor bytes(DType::kInt8, {256});
  for (int i = 0; i < 256; ++i) bytes.data<int8_t>()[i] = int8_t(i - 128);
  expect_same_bits_on_all_isas(g, {bytes});
  const Tensor got = run_model(g.model(), {bytes})[0];
  for (int i = 0; i < 256; ++i) {
    const double exact = 1 / (1 + std::exp(-x.value(i - 128))) / double(y.scale);
    EXPECT_NEAR(got.data<uint8_t>()[i], std::min(exact, 255.0), 0.501) << i;
  }
}

TEST(FuseBytes, RoundingToTheGridIsALink) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", kBytes));
  const ValueId shifted = g.rounded(g.op("Add", {x, g.constant(Tensor::scalar(3.0f))}));
  const ValueId bounded =
      g.rounded(g.op("Clip", {shifted, g.constant(Tensor::scalar(0.0f)), g.constant(Tensor::scalar(6.0f))}),
                {DType::kInt8, 0.03f, -100});
  const ValueId product = g.rounded(g.op("Mul", {x, bounded}), {DType::kUint8, 0.3f, 30});
  g.output(g.quantize(g.op("Div", {product, g.constant(Tensor::scalar(6.0f))})));
  const Model model = g.model();
  EXPECT_EQ(model_graph(model).nodes().size(), 1u) << optimized_ops(g);
  expect_same_bits_on_all_isas(g, {random_bytes(kBytes, DType::kUint8)});
}

TEST(FuseBytes, WhatIsBytesInBetweenIsATableOfItsOwn) {
  ByteGraph g;
  const ValueId sum = g.rounded(g.op("Add", {g.dequantize(g.bytes("x", kBytes)), g.dequantize(g.bytes("y", kBytes))}));
  g.output(g.quantize(g.op("Sigmoid", {sum}), {DType::kUint8, 0.004f, 0}));
  const Model model = g.model();
  EXPECT_EQ(model_graph(model).nodes().size(), 2u) << optimized_ops(g);
  expect_same_bits_on_all_isas(g, {random_bytes(kBytes, DType::kUint8), random_bytes(kBytes, DType::kUint8, 1)});
}

TEST(FuseBytes, AFunctionThatReadsItsArgumentTwiceIsATable) {
  ByteGraph g;
  const auto number = [&](float value) { return g.constant(Tensor::scalar(value)); };
  const ValueId x = g.rounded(g.op("Mul", {g.dequantize(g.bytes("x", kBytes)), number(0.7f)}));
  const ValueId gate = g.op("Clip", {g.op("Add", {x, number(3)}), number(0), number(6)});
  g.output(g.quantize(g.op("Mul", {x, gate})));
  const Model model = g.model();
  EXPECT_EQ(model_graph(model).nodes().size(), 1u) << optimized_ops(g);
  expect_same_bits_on_all_isas(g, {random_bytes(kBytes, DType::kUint8)});
}

TEST(FuseBytes, WhatSeveralNodesReadIsDequantizedByEach) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", kBytes));
  g.output(g.quantize(g.op("Sigmoid", {x})));
  g.output(g.op("Neg", {x}));
  g.output(x);
  EXPECT_EQ(optimized_ops(g), "DequantizeLinear Neg DequantizeLinear Sigmoid QuantizeUint8 DequantizeLinear");
  expect_same_bits_on_all_isas(g, {random_bytes(kBytes, DType::kUint8)});
}

TEST(FuseBytes, AValueInBetweenMayBeAnOutput) {
  ByteGraph g;
  const ValueId sum = g.op("Add", {g.dequantize(g.bytes("x", kBytes)), g.dequantize(g.bytes("y", kBytes))});
  const ValueId bytes = g.quantize(sum);
  g.output(sum);
  g.output(bytes);
  g.output(g.quantize(g.op("Relu", {g.dequantize(bytes)})));
  expect_same_bits_on_all_isas(g, {random_bytes(kBytes, DType::kUint8), random_bytes(kBytes, DType::kUint8, 1)});
}

TEST(FuseBytes, SmallerInputsAreBroadcast) {
  const Shape image{2, 5, 6, 7};
  for (const Shape& gate : {Shape{2, 5, 1, 1}, Shape{1, 1, 1, 7}, Shape{1}, Shape{6, 1}}) {
    ByteGraph g;
    const ValueId product = g.op("Mul", {g.dequantize(g.bytes("x", image)), g.dequantize(g.bytes("gate", gate))});
    g.output(g.quantize(product, {DType::kUint8, 2.0f, 100}));
    expect_same_bits_on_all_isas(g, {random_bytes(image, DType::kUint8), random_bytes(gate, DType::kUint8, 1)});
  }
}

// Expects that nothing becomes a chain.
void expect_as_written(const ByteGraph& g, const std::string& ops) { EXPECT_EQ(optimized_ops(g), ops); }

TEST(FuseBytes, ScalesThatAreNotKnownStay) {
  ByteGraph g;
  const ValueId x = g.op("DequantizeLinear", {g.bytes("x", kBytes), g.input("scale", Shape{})});
  g.output(g.op("Sigmoid", {x}));
  expect_as_written(g, "DequantizeLinear Sigmoid");
  EXPECT_EQ(count_ops(g.model(), "Elementwise", "linnet"), 0);
}

TEST(FuseBytes, ZeroPointsThatAreNotKnownStay) {
  ByteGraph g;
  const ValueId zero = g.input("zero", Fact(DType::kUint8, Shape{}));
  g.output(g.op("QuantizeLinear", {g.op("Sigmoid", {g.input("x", kBytes)}), g.constant(Tensor::scalar(1.0f)), zero}));
  EXPECT_EQ(count_ops(g.model(), "Elementwise", "linnet"), 0);
}

TEST(FuseBytes, ScalesOfChannelsOrBlocksStay) {
  for (const int64_t block : {0, 1}) {
    ByteGraph g(21);
    const Tensor scale = block ? random_uniform(kBytes, 0.1f, 1) : random_uniform({3}, 0.1f, 1);
    const ValueId x = g.op("DequantizeLinear", {g.bytes("x", kBytes), g.constant(scale)}, {{"block_size", block}});
    g.output(g.op("Sigmoid", {x}));
    EXPECT_EQ(count_ops(g.model(), "Elementwise", "linnet"), 0);
    expect_same_bits_on_all_isas(g, {random_bytes(kBytes, DType::kUint8)});
  }
}

TEST(FuseBytes, ScalesThatAreNotPositiveAndFiniteStay) {
  for (const float scale : {0.0f, -1.0f, INFINITY, NAN}) {
    ByteGraph g;
    g.output(g.quantize(g.op("Sigmoid", {g.input("x", kBytes)}), {DType::kUint8, scale, 5}));
    EXPECT_EQ(count_ops(g.model(), "Elementwise", "linnet"), 0) << scale;
  }
}

TEST(FuseBytes, OtherTypesStay) {
  ByteGraph g(21);
  const ValueId x =
      g.op("DequantizeLinear", {g.input("x", Fact(DType::kInt16, kBytes)), g.constant(Tensor::scalar(0.1f))});
  g.output(g.op("QuantizeLinear", {g.op("Sigmoid", {x}), g.constant(Tensor::scalar(0.1f))},
                {{"output_dtype", int64_t(DType::kUint16)}}));
  EXPECT_EQ(count_ops(g.model(), "Elementwise", "linnet"), 0);
}

TEST(FuseBytes, QuotientsOfAnotherPrecisionStay) {
  ByteGraph g(23);
  g.output(g.op("QuantizeLinear", {g.op("Sigmoid", {g.input("x", kBytes)}), g.constant(Tensor::scalar(0.1f))},
                {{"precision", int64_t(DType::kFloat16)}}));
  EXPECT_EQ(count_ops(g.model(), "Elementwise", "linnet"), 0);
}

TEST(FuseBytes, SumsThatAreReadElsewhereStay) {
  ByteGraph g;
  const ValueId sum = g.op("Add", {g.input("x", kBytes), g.input("y", kBytes)});
  g.output(g.quantize(sum));
  g.output(g.op("ReduceSum", {sum}));
  EXPECT_EQ(count_ops(g.model(), "Elementwise", "linnet"), 0);
}

OpCase chain(const std::vector<std::string>& ops, const std::vector<int64_t>& first, const std::vector<float>& alpha,
             const std::vector<float>& beta) {
  return {"Elementwise",
          1,
          {{"ops", ops},
           {"first", first},
           {"second", std::vector<int64_t>(ops.size(), -1)},
           {"alpha", alpha},
           {"beta", beta}},
          "linnet"};
}

TEST(Elementwise, RefusesGridsThatAreNone) {
  const auto run = [](const std::string& op, float scale, float zero_point, DType dtype = DType::kUint8) {
    return [=] { run_op(chain({op}, {0}, {scale}, {zero_point}), {random_bytes({4}, dtype)}); };
  };
  run("DequantizeLinear", 1, 255)();
  run("DequantizeLinear", 1, -128, DType::kInt8)();
  for (const float scale : {0.0f, -1.0f, INFINITY, NAN}) {
    expect_error(ErrorKind::kModel, "scale", run("DequantizeLinear", scale, 0));
  }
  expect_error(ErrorKind::kModel, "zero point", run("DequantizeLinear", 1, 0.5f));
  expect_error(ErrorKind::kModel, "zero point", run("QuantizeUint8", 1, -1));
  expect_error(ErrorKind::kModel, "zero point", run("QuantizeInt8", 1, 128));
  expect_error(ErrorKind::kModel, "zero point", run("QuantizeInt8", 1, NAN));
  expect_error(ErrorKind::kType, "DequantizeLinear", run("DequantizeLinear", 1, -1));
  expect_error(ErrorKind::kType, "DequantizeLinear", run("DequantizeLinear", 1, 128, DType::kInt8));
}

TEST(Elementwise, RefusesOperandsOfOtherTypes) {
  const auto run = [](const std::vector<std::string>& ops, DType dtype) {
    std::vector<int64_t> first(ops.size());
    for (size_t i = 0; i < ops.size(); ++i) first[i] = int64_t(i);
    const OpCase op = chain(ops, first, std::vector<float>(ops.size(), 1), std::vector<float>(ops.size()));
    return [=] { run_op(op, {cast_to(random_tensor({4}), dtype)}); };
  };
  run({"QuantizeUint8", "DequantizeLinear", "Neg"}, DType::kFloat32)();
  expect_error(ErrorKind::kType, "Neg", run({"Neg"}, DType::kUint8));
  expect_error(ErrorKind::kType, "QuantizeUint8", run({"QuantizeUint8"}, DType::kInt8));
  expect_error(ErrorKind::kType, "DequantizeLinear", run({"DequantizeLinear"}, DType::kFloat32));
  expect_error(ErrorKind::kType, "Neg", run({"QuantizeInt8", "Neg"}, DType::kFloat32));
  expect_error(ErrorKind::kType, "every input", run({"Neg"}, DType::kInt32));
}

}  // namespace
}  // namespace linnet::testing
