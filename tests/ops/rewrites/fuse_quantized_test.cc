#include "ops/rewrites/quantized_products.h"

// Tests products between DequantizeLinear and QuantizeLinear, and other spellings of them, on bytes.
namespace linnet::testing {
namespace {

TEST(FuseQuantized, AConvBetweenBytesIsOneNode) {
  for (const DType dtype : {kU8, kS8}) {
    for (const DType w : {kU8, kS8}) {
      ByteGraph g;
      const ValueId x = g.rounded(g.input("x", Shape{2, 5, 9, 8}), grid(dtype, 0.125f, 20));
      const ValueId y = g.op("Conv", {x, weights(g, {7, 5, 3, 3}, 0, w), bias(g, 7, 0.125f)},
                             {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
      g.output(g.dequantize(g.quantize(g.op("Relu", {y}), grid(dtype, 0.5f, 3)), grid(dtype, 0.5f, 3)));
      EXPECT_EQ(optimized_ops(g), "QuantizeLinear Transpose +QLinearConv DequantizeLinear Transpose");
      expect_exact(g, {random_tensor({2, 5, 9, 8})});
    }
  }
}

TEST(FuseQuantized, WithoutAQuantizeLinearTheOutputIsFloats) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", {1, 6, 7, 7}), grid(kU8, 0.25f, 128));
  g.output(g.op("Conv", {x, weights(g, {6, 1, 3, 3}, 0), g.constant(powers(6, 3.0f))}, {{"group", int64_t{6}}}));
  EXPECT_EQ(optimized_ops(g), "Transpose +QLinearConv Transpose");
  expect_exact(g, {random_bytes({1, 6, 7, 7}, kU8)});
}

TEST(FuseQuantized, AClampOfFloatsIsAPartOfTheProduct) {
  for (const bool is_read : {false, true}) {
    ByteGraph g;
    const ValueId x = g.dequantize(g.bytes("x", {5, 33}), grid(kU8, 0.25f, 100));
    const ValueId y = g.op("MatMul", {x, weights(g, {33, 20}, 1)});
    g.output(g.op("Clip", {y, g.constant(Tensor::scalar(-3.0f)), g.constant(Tensor::scalar(7.0f))}));
    if (is_read) g.output(y);
    EXPECT_EQ(optimized_ops(g), is_read ? "+QLinearMatMul Clip" : "+QLinearMatMul");
    expect_exact(g, {random_bytes({5, 33}, kU8)});
  }
}

TEST(FuseQuantized, MatMulAndGemmAreProductsOfBytes) {
  for (const bool gemm : {false, true}) {
    ByteGraph g;
    const ValueId x = g.dequantize(g.bytes("x", {5, 33}), grid(kU8, 0.25f, 100));
    const ValueId y = gemm ? g.op("Gemm", {x, weights(g, {20, 33}, 0), bias(g, 20, 0.25f)}, {{"transB", int64_t{1}}})
                           : g.op("MatMul", {x, weights(g, {33, 20}, 1)});
    g.output(g.quantize(y, grid(kU8, 1.0f, 90)));
    EXPECT_EQ(optimized_ops(g), "+QLinearMatMul");
    expect_exact(g, {random_bytes({5, 33}, kU8)});
  }
}

/// Returns an Add of a product and a residual on separate grids.
ByteGraph residual(bool product_is_read = false) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", {1, 4, 6, 6}), grid(kU8, 0.25f, 100));
  const Attributes pads{{"pads", std::vector<int64_t>{1, 1, 1, 1}}};
  const ValueId r = g.rounded(g.op("Conv", {x, weights(g, {8, 4, 3, 3}, 0)}, pads), grid(kU8, 1.0f, 30));
  const ValueId y = g.rounded(g.op("Conv", {x, weights(g, {8, 4, 1, 1}, 0)}), grid(kU8, 0.5f, 120));
  const ValueId sum = g.op("Add", {r, y});
  g.output(g.quantize(g.op("Relu", {sum}), grid(kU8, 1.0f, 0)));
  if (product_is_read) g.output(y);
  return g;
}

std::vector<Tensor> residual_inputs() { return {random_bytes({1, 4, 6, 6}, kU8)}; }

TEST(FuseQuantized, AResidualIsAddedInTheProduct) {
  EXPECT_EQ(optimized_ops(residual()), "Transpose +QLinearConv +QLinearConv Transpose");
  expect_exact(residual(), residual_inputs());
}

TEST(FuseQuantized, AProductThatOthersReadKeepsItsValue) { expect_exact(residual(true), residual_inputs()); }

TEST(FuseQuantized, OperatorsThatMoveElementsMoveBytes) {
  ByteGraph g;
  const Grid same = grid(kU8, 0.5f, 7);
  const ValueId a = g.dequantize(g.bytes("a", {2, 3, 4}), same), b = g.dequantize(g.bytes("b", {2, 3, 4}), same);
  const ValueId y = g.op("Transpose", {g.op("Concat", {a, b}, {{"axis", int64_t{1}}})});
  g.output(g.quantize(y, same));
  EXPECT_EQ(optimized_ops(g), "Concat Transpose");
  expect_exact(g, {random_bytes({2, 3, 4}, kU8), random_bytes({2, 3, 4}, kU8, 1)});
}

/// Returns int8 convolutions with movement of their bytes in between, as in files with linear operators.
ByteGraph moved_int8(bool moved_is_read = false) {
  ByteGraph g;
  const Grid s8 = grid(kS8, 0.5f, -7);
  const auto conv = [&](ValueId x, int64_t channels) {
    return g.quantize(g.op("Conv", {g.dequantize(x, s8), weights(g, {4, channels, 1, 1}, 0)}), s8);
  };
  const ValueId x = g.quantize(g.input("x", Shape{1, 6, 8, 8}), s8);
  const Attributes window{{"kernel_shape", std::vector<int64_t>{3, 3}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}};
  const ValueId pooled = g.op("MaxPool", {conv(x, 6)}, window);
  const ValueId joined = g.op("Concat", {pooled, conv(pooled, 4), x}, {{"axis", int64_t{1}}});
  if (moved_is_read) g.output(joined);
  g.output(g.dequantize(g.op("Flatten", {conv(joined, 14)}), s8));
  return g;
}

TEST(FuseQuantized, Int8ThatMovesBetweenProductsBecomesUint8) {
  const std::string ops = optimized_ops(moved_int8());
  EXPECT_EQ(count_ops(moved_int8().model(), "QLinearConv", "linnet"), 3) << ops;
  EXPECT_EQ(ops.find("+Conv"), std::string::npos) << ops;
  expect_exact(moved_int8(), {random_tensor({1, 6, 8, 8}, 20)});
}

TEST(FuseQuantized, Int8ThatSomethingElseReadsStays) {
  EXPECT_EQ(count_ops(moved_int8(true).model(), "QLinearConv", "linnet"), 0);
  expect_exact(moved_int8(true), {random_tensor({1, 6, 8, 8}, 20)});
}

ValueId byte_batch_norm(ByteGraph& g, ValueId x, bool quantised) {
  const Tensor scale = Tensor::of<float>({2.0f, -0.5f, 0.0f, 1.0f});
  const auto scalar = [&](float value) { return g.constant(Tensor::scalar(value)); };
  const ValueId w = g.constant(quantised ? Tensor::of<int8_t>({5, 2, 3, 4}) : scale);
  const ValueId b = g.constant(quantised ? Tensor::of<int32_t>({-16, 0, 8, 3}) : Tensor::of<float>({-4, 0, 2, 0.75f}));
  const ValueId three = g.constant(Tensor::scalar(int8_t{3}));
  const std::vector<ValueId> parameters{x, quantised ? g.op("DequantizeLinear", {w, scalar(0.5f), three}) : w,
                                        quantised ? g.op("DequantizeLinear", {b, scalar(0.25f)}) : b,
                                        g.constant(Tensor::of<float>({1, 0, 2, -1})),
                                        g.constant(Tensor::of<float>({4, 1, 16, 0.25f}))};
  return g.op("BatchNormalization", parameters, {{"epsilon", 0.0f}});
}

TEST(FuseQuantized, ABatchNormalizationIsAProductOfSigns) {
  for (const bool quantised : {false, true}) {
    for (const bool ends_in_bytes : {false, true}) {
      ByteGraph g;
      const ValueId y = byte_batch_norm(g, g.dequantize(g.bytes("x", {2, 4, 6, 5}), grid(kU8, 0.25f, 100)), quantised);
      g.output(ends_in_bytes ? g.quantize(g.op("Relu", {y}), grid(kU8, 0.5f, 10)) : y);
      EXPECT_EQ(optimized_ops(g), "Transpose +QLinearConv Transpose");
      expect_exact(g, {random_bytes({2, 4, 6, 5}, kU8)});
    }
  }
}

TEST(FuseQuantized, ABatchNormalizationOfMatricesStays) {
  ByteGraph g;
  g.output(byte_batch_norm(g, g.dequantize(g.bytes("x", {6, 4}), grid(kU8, 0.25f, 100)), true));
  expect_floats(g, {random_bytes({6, 4}, kU8)});
}

/// Returns a resized image between products, of int8 as in files with linear operators, or of floats.
ByteGraph resized(const std::string& mode, bool of_bytes) {
  ByteGraph g;
  const Grid s8 = grid(kS8, 0.5f, -7);
  ValueId x = g.quantize(g.input("x", Shape{1, 4, 6, 5}), s8);
  if (!of_bytes) x = g.dequantize(x, s8);
  x = g.op("Resize", {x, kNoValue, g.constant(Tensor::of<float>({1, 1, 2, 2}))}, {{"mode", mode}});
  if (!of_bytes) x = g.quantize(x, s8);
  g.output(g.op("Conv", {g.dequantize(x, s8), weights(g, {8, 4, 1, 1}, 0)}));
  return g;
}

TEST(FuseQuantized, ResizingToTheNearestMovesBytes) {
  for (const bool of_bytes : {false, true}) {
    const ByteGraph g = resized("nearest", of_bytes);
    EXPECT_EQ(optimized_ops(g), "QuantizeLinear Resize Transpose +QLinearConv Transpose") << of_bytes;
    expect_exact(g, {random_tensor({1, 4, 6, 5})});
  }
  EXPECT_EQ(count_ops(resized("linear", true).model(), "QLinearConv", "linnet"), 0);
}

TEST(FuseQuantized, LinearOperatorsAreTheSameProducts) {
  for (const DType dtype : {kU8, kS8}) {
    ByteGraph g;
    const auto scale = [&](float value) { return g.constant(Tensor::scalar(value)); };
    const ValueId x = g.quantize(g.input("x", Shape{3, 40}), grid(dtype, 0.125f, 20));
    const ValueId w = g.constant(random_bytes({40, 9}, kS8)), none = g.constant(Tensor::scalar(int8_t{0}));
    const ValueId zero = g.constant(byte(dtype, 20)), y_zero = g.constant(byte(dtype, 60));
    const ValueId y = g.op("QLinearMatMul", {x, scale(0.125f), zero, w, scale(0x1p-6f), none, scale(0.5f), y_zero});
    g.output(g.dequantize(y, grid(dtype, 0.5f, 60)));
    EXPECT_EQ(optimized_ops(g), "QuantizeLinear +QLinearMatMul DequantizeLinear");
    expect_exact(g, {random_tensor({3, 40})});
  }
}

TEST(FuseQuantized, ALinearConvOfShiftedWeightsIsThatProduct) {
  ByteGraph g;
  const auto scale = [&](float value) { return g.constant(Tensor::scalar(value)); };
  const ValueId x = g.bytes("x", {1, 4, 6, 7}), zero = g.constant(byte(kU8, 20)), y_zero = g.constant(byte(kU8, 60));
  const ValueId w = g.constant(random_bytes({6, 4, 3, 3}, kU8)), w_zero = g.constant(byte(kU8, 77));
  g.output(g.op("QLinearConv", {x, scale(0.125f), zero, w, scale(0x1p-6f), w_zero, scale(4.0f), y_zero}));
  EXPECT_EQ(optimized_ops(g), "Transpose +QLinearConv Transpose");
  expect_exact(g, {random_bytes({1, 4, 6, 7}, kU8)});
}

/// The operator of com.microsoft. Its images need no Transpose.
TEST(FuseQuantized, ALinearConvOfChannelsLastIsThatProductAlone) {
  ByteGraph g;
  const auto scale = [&](float value) { return g.constant(Tensor::scalar(value)); };
  const ValueId x = g.bytes("x", {1, 6, 7, 4}), zero = g.constant(byte(kU8, 20)), y_zero = g.constant(byte(kU8, 60));
  const ValueId w = g.constant(random_bytes({6, 4, 3, 3}, kS8)), w_zero = g.constant(byte(kS8, 0));
  g.output(g.op("QLinearConv", {x, scale(0.125f), zero, w, scale(0x1p-6f), w_zero, scale(4.0f), y_zero},
                {{"channels_last", int64_t{1}}}, "com.microsoft"));
  EXPECT_EQ(optimized_ops(g), "+QLinearConv");
  expect_exact(g, {random_bytes({1, 6, 7, 4}, kU8)});
}

TEST(FuseQuantized, ALinearConvWithOneScaleAndZeroPointsPerChannelIsThatProduct) {
  ByteGraph g;
  const auto scale = [&](float value) { return g.constant(Tensor::scalar(value)); };
  const ValueId x = g.bytes("x", {1, 4, 6, 7}), zero = g.constant(byte(kU8, 20)), y_zero = g.constant(byte(kU8, 60));
  const ValueId w = g.constant(cast_to(random_uniform({6, 4, 3, 3}, -90, 90), kS8));
  const ValueId w_zero = g.constant(cast_to(random_uniform({6}, -30, 30, 1), kS8));
  g.output(g.op("QLinearConv", {x, scale(0.125f), zero, w, scale(0x1p-6f), w_zero, scale(0.5f), y_zero}));
  EXPECT_EQ(optimized_ops(g), "Transpose +QLinearConv Transpose");
  expect_exact(g, {random_bytes({1, 4, 6, 7}, kU8)});
}

TEST(FuseQuantized, ALinearProductWhoseZeroPointOfWeightsIsNoConstantStays) {
  for (const bool is_conv : {false, true}) {
    ByteGraph g;
    const auto scale = [&](float value) { return g.constant(Tensor::scalar(value)); };
    const Shape shape = is_conv ? Shape{1, 4, 6, 7} : Shape{3, 4},
                weights_shape = is_conv ? Shape{6, 4, 3, 3} : Shape{4, 6};
    const ValueId x = g.bytes("x", shape), zero = g.constant(byte(kU8, 20)), y_zero = g.constant(byte(kU8, 60));
    const ValueId w = g.constant(random_bytes(weights_shape, kS8)), w_zero = g.bytes("w_zero", {}, kS8);
    g.output(g.op(is_conv ? "QLinearConv" : "QLinearMatMul",
                  {x, scale(0.125f), zero, w, scale(0x1p-6f), w_zero, scale(2.f), y_zero}));
    EXPECT_EQ(optimized_ops(g).find("+QLinear"), std::string::npos) << optimized_ops(g);
    expect_exact(g, {random_bytes(shape, kU8), byte(kS8, 30)});
  }
}

/// Returns the graph that onnxruntime.quantization writes for a product with dynamically quantised weights.
ByteGraph dynamic(const Shape& w_scale, const Tensor& w_zero, bool adds_bias = true) {
  ByteGraph g;
  const std::vector<ValueId> x = g.ops("DynamicQuantizeLinear", {g.input("x", Shape{2, 6, 32})}, 3);
  const ValueId w = g.constant(random_bytes({32, 10}, w_zero.dtype()));
  const ValueId sums = g.op("MatMulInteger", {x[0], w, x[2], g.constant(w_zero)});
  const ValueId scale = g.op("Mul", {x[1], g.constant(random_uniform(w_scale, 0.01f, 0.02f))});
  ValueId y = g.op("Mul", {g.op("Cast", {sums}, {{"to", int64_t{1}}}), scale});
  if (adds_bias) y = g.op("Add", {y, g.constant(random_tensor({10}))});
  g.output(y);
  return g;
}

TEST(FuseQuantized, ADynamicProductWithItsBiasIsOneNode) {
  for (const Shape& w_scale : {Shape{}, Shape{10}}) {
    for (const Tensor& zero : {Tensor::scalar(int8_t{0}), Tensor::scalar(uint8_t{128}), Tensor::scalar(uint8_t{3}),
                               cast_to(random_uniform({10}, 100, 150), kU8)}) {
      const ByteGraph g = dynamic(w_scale, zero);
      EXPECT_EQ(optimized_ops(g), "DynamicQuantizeLinear +QLinearMatMul");
      expect_unchanged(g, {random_tensor({2, 6, 32})});
    }
  }
}

TEST(FuseQuantized, ADynamicProductWhoseScaleAddsAxesStays) {
  const ByteGraph g = dynamic({1, 1, 1, 1}, Tensor::scalar(int8_t{0}), false);
  EXPECT_EQ(optimized_ops(g).find("QLinear"), std::string::npos);
  expect_unchanged(g, {random_tensor({2, 6, 32})});
}

/// Returns a convolution whose bias has these zero points.
ByteGraph shifted_bias(ByteGraph g, ValueId zeros) {
  const ValueId x = g.dequantize(g.bytes("x", {1, 5, 6, 6}), grid(kU8, 0.125f, 100));
  const ValueId values = g.constant(Tensor::of<int32_t>({100, 200, 300})), units = g.constant(powers(3, 0x1p-10f));
  const ValueId b = g.op("DequantizeLinear", {values, units, zeros}, {{"axis", int64_t{0}}});
  g.output(g.op("Conv", {x, weights(g, {3, 5, 3, 3}, 0), b}));
  return g;
}

TEST(FuseQuantized, ABiasWithZeroPointsThatAreNotZeroStays) {
  for (const std::vector<int32_t>& zeros : std::vector<std::vector<int32_t>>{{5, 0, 0}, {0, 5000, 0}, {0, 0, -1}}) {
    ByteGraph g;
    const ValueId constant = g.constant(Tensor::of(zeros));
    expect_floats(shifted_bias(g, constant), {random_bytes({1, 5, 6, 6}, kU8)});
  }
  ByteGraph g;
  const ValueId zeros = g.constant(Tensor::of<int32_t>({0, 0, 0}));
  EXPECT_EQ(optimized_ops(shifted_bias(g, zeros)), "Transpose +QLinearConv Transpose");
}

TEST(FuseQuantized, ABiasWithZeroPointsOfTheRunStays) {
  ByteGraph g;
  const ValueId zeros = g.input("zeros", Fact(DType::kInt32, Shape{3}));
  const Tensor given = Tensor::of<int32_t>({0, 5000, 7});
  expect_floats(shifted_bias(g, zeros), {given, random_bytes({1, 5, 6, 6}, kU8)});
}

/// In some graphs, the rank after the embeddings is unknown: a Reshape to a shape that is an input.
TEST(FuseQuantized, ADynamicProductIsOneNodeBeforeItsRankIsKnown) {
  const auto graph = [](const Shape& w_scale) {
    ByteGraph g;
    const ValueId x =
        g.op("Reshape", {g.input("x", Shape{2, 6, 32}), g.input("shape", Fact(DType::kInt64, Dims{Dim()}))});
    const std::vector<ValueId> bytes = g.ops("DynamicQuantizeLinear", {x}, 3);
    const ValueId w = g.constant(random_bytes({32, 10}, kS8));
    const ValueId sums = g.op("MatMulInteger", {bytes[0], w, bytes[2], g.constant(Tensor::scalar(int8_t{0}))});
    const ValueId scale = g.op("Mul", {bytes[1], g.constant(random_uniform(w_scale, 0.01f, 0.02f))});
    g.output(g.op("Mul", {g.op("Cast", {sums}, {{"to", int64_t{1}}}), scale}));
    return g;
  };
  for (const Shape& w_scale : {Shape{}, Shape{1}, Shape{10}}) {
    const ByteGraph g = graph(w_scale);
    EXPECT_EQ(optimized_ops(g), "Reshape DynamicQuantizeLinear +QLinearMatMul");
    for (const auto& shape : {std::vector<int64_t>{2, 6, 32}, {12, 32}, {2, 2, 3, 32}}) {
      expect_unchanged(g, {random_tensor({2, 6, 32}), Tensor::of(shape)});
    }
  }
  // These scales add an axis to the product.
  EXPECT_EQ(optimized_ops(graph({1, 1, 1})).find("QLinearMatMul"), std::string::npos);
}

TEST(FuseQuantized, ZeroPointsOfWeightsAreSubtracted) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", {5, 33}), grid(kU8, 0.25f, 100));
  const ValueId w = g.op("DequantizeLinear",
                         {g.constant(random_bytes({33, 20}, kU8, 5)), g.constant(powers(20, 0.5f)),
                          g.constant(random_bytes({20}, kU8, 6))},
                         {{"axis", int64_t{1}}});
  g.output(g.quantize(g.op("MatMul", {x, w}), grid(kU8, 128.0f, 90)));
  EXPECT_EQ(optimized_ops(g), "+QLinearMatMul");
  expect_exact(g, {random_bytes({5, 33}, kU8)});
}

/// Returns a convolution of two groups or one, with zero points of weights that do not fit into int8.
ByteGraph shifted_conv(int64_t groups) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", {1, 6, 7, 5}), grid(kU8, 0.25f, 100));
  const ValueId w =
      g.op("DequantizeLinear", {g.constant(random_bytes({4, 6 / groups, 3, 2}, kU8, 5)),
                                g.constant(Tensor::scalar(0.5f)), g.constant(Tensor::scalar(uint8_t{7}))});
  g.output(g.op("Conv", {x, w}, {{"group", groups}, {"pads", std::vector<int64_t>{1, 2, 0, 1}}}));
  return g;
}

TEST(FuseQuantized, ZeroPointsOfConvolvedWeightsAreSubtracted) {
  EXPECT_EQ(optimized_ops(shifted_conv(1)), "Transpose +QLinearConv Transpose");
  expect_exact(shifted_conv(1), {random_bytes({1, 6, 7, 5}, kU8)});
}

TEST(FuseQuantized, ThoseOfGroupsThatDoNotFitStay) {
  expect_floats(shifted_conv(2), {random_bytes({1, 6, 7, 5}, kU8)});
}

TEST(FuseQuantized, AScaleThatIsNoConstantStays) {
  ByteGraph g;
  const ValueId x = g.op("DequantizeLinear", {g.bytes("x", {4, 16}), g.input("scale", Shape{})});
  g.output(g.op("MatMul", {x, weights(g, {16, 4}, 1)}));
  expect_floats(g, {random_bytes({4, 16}, kU8), Tensor::scalar(0.5f)});
}

TEST(FuseQuantized, ScalesOfAnAxisOfTheActivationsStay) {
  ByteGraph g;
  const ValueId x = g.op("DequantizeLinear", {g.bytes("x", {4, 16}), g.constant(powers(16, 0.5f))});
  g.output(g.op("MatMul", {x, weights(g, {16, 4}, 1)}));
  expect_floats(g, {random_bytes({4, 16}, kU8)});
}

TEST(FuseQuantized, ScalesOfTheDepthOfTheWeightsStay) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", {4, 16}), grid(kU8, 0.5f, 9));
  g.output(g.op("MatMul", {x, weights(g, {16, 4}, 0)}));
  expect_floats(g, {random_bytes({4, 16}, kU8)});
}

TEST(FuseQuantized, AGemmThatScalesStays) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", {4, 16}), grid(kU8, 0.5f, 9));
  g.output(g.op("Gemm", {x, weights(g, {16, 4}, 1)}, {{"alpha", 2.0f}}));
  expect_floats(g, {random_bytes({4, 16}, kU8)});
}

TEST(FuseQuantized, BatchesOfWeightsStay) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", {2, 4, 16}), grid(kU8, 0.5f, 9));
  g.output(g.op("MatMul", {x, weights(g, {2, 16, 4}, 0)}));
  expect_floats(g, {random_bytes({2, 4, 16}, kU8)});
}

TEST(FuseQuantized, SumsThatCouldLeave32BitsStay) {
  for (const int64_t depth : {65793, 65794}) {
    ByteGraph g;
    const ValueId x = g.dequantize(g.bytes("x", {1, depth}), grid(kU8, 0.5f, 9));
    g.output(g.op("MatMul", {x, weights(g, {depth, 1}, 1)}));
    EXPECT_EQ(optimized_ops(g), depth == 65793 ? "+QLinearMatMul" : "DequantizeLinear MatMul");
  }
}

TEST(FuseQuantized, IntegersThatAreOutputsKeepTheirType) {
  ByteGraph g;
  g.output(g.quantize(g.input("x", Shape{4}), grid(kS8, 0.5f, 9)));
  EXPECT_EQ(run_model(g.model(), {random_tensor({4})})[0].dtype(), kS8);
}

}  // namespace
}  // namespace linnet::testing
