#include "ops/rewrites/quantized_products.h"

// Tests transposed convolutions, and products of two activations, on bytes.
namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

/// Returns a transposed convolution between bytes. bias_kind: absent, quantised, floats, quantised and an input of the
/// model.
ByteGraph upsampled(const Shape& w, Attributes attributes, int bias_kind) {
  ByteGraph g;
  const ValueId x = g.dequantize(g.bytes("x", {2, 3, 5, 4}), grid(kU8, 0.25f, 100));
  std::vector<ValueId> inputs{x, weights(g, w, 1)};
  if (bias_kind == 1) inputs.push_back(bias(g, w[1], 0.25f));
  if (bias_kind == 3) {
    const ValueId values = g.input("bias", Fact(DType::kInt32, Shape{w[1]}));
    inputs.push_back(g.op("DequantizeLinear", {values, g.constant(powers(w[1], 0x1p-9f))}, {{"axis", int64_t{0}}}));
  }
  if (bias_kind == 2) inputs.push_back(g.constant(powers(w[1], 3.0f)));
  attributes["strides"] = std::vector<int64_t>{2, 2};
  g.output(g.quantize(g.op("Relu", {g.op("ConvTranspose", inputs, attributes)}), grid(kU8, 0.5f, 20)));
  return g;
}

TEST(FuseQuantized, ATransposedConvIsAConvOfBytes) {
  const Tensor x = random_bytes({2, 3, 5, 4}, kU8);
  for (const int bias_kind : {0, 1, 2}) {
    for (const ByteGraph& g :
         {upsampled({3, 5, 2, 2}, {}, bias_kind), upsampled({3, 5, 4, 2}, {{"pads", Ints{2, 0, 0, 0}}}, bias_kind),
          upsampled({3, 2, 4, 4}, {{"pads", Ints{0, 0, 2, 2}}}, bias_kind), upsampled({3, 2, 6, 4}, {}, bias_kind)}) {
      EXPECT_EQ(optimized_ops(g), "Transpose +QLinearConv +DepthToSpace Transpose");
      expect_exact(g, {x});
    }
  }
}

TEST(FuseQuantized, ATransposedConvLeavesOutWhatItsPadsCutOff) {
  const Tensor x = random_bytes({2, 3, 5, 4}, kU8);
  for (const ByteGraph& g :
       {upsampled({3, 5, 4, 4}, {{"pads", Ints{1, 1, 1, 1}}}, 1),
        upsampled({3, 5, 4, 2}, {{"pads", Ints{0, 0, 0, 1}}}, 1),
        upsampled({3, 5, 5, 6}, {{"pads", Ints{1, 3, 2, 4}}}, 2),
        upsampled({3, 5, 5, 4}, {{"output_padding", Ints{1, 0}}, {"pads", Ints{3, 0, 0, 0}}}, 1)}) {
    EXPECT_EQ(optimized_ops(g), "Transpose +QLinearConv +DepthToSpace Slice Transpose");
    expect_exact(g, {x});
  }
}

TEST(FuseQuantized, OtherTransposedConvsStayProductsOfFloats) {
  const Tensor x = random_bytes({2, 3, 5, 4}, kU8);
  expect_floats(upsampled({3, 5, 4, 2}, {{"pads", Ints{2, 0, 0, 0}}, {"dilations", Ints{1, 2}}}, 2), {x});
  expect_floats(upsampled({3, 5, 4, 4}, {{"pads", Ints{4, 0, 0, 0}}}, 2), {x});  // outputs without the first inputs
  expect_floats(upsampled({3, 5, 3, 3}, {{"pads", Ints{1, 1, 1, 1}}}, 2), {x});  // 16 weights for 9
}

TEST(FuseQuantized, ATransposedConvStaysWhereItsBiasCannotBeRepeated) {
  const Tensor x = random_bytes({2, 3, 5, 4}, kU8), values = Tensor::of<int32_t>({-999, 0, 7, 12345, 3});
  expect_floats(upsampled({3, 5, 2, 2}, {}, 3), {x, values});
  expect_floats(upsampled({3, 1, 2, 2}, {}, 1), {x});
}

/// Returns queries times transposed keys, times values, for heads that were one axis.
ByteGraph attention(const std::string& length) {
  ByteGraph g;
  const Fact fact(kU8, Dims{Dim(2), length.empty() ? Dim(6) : Dim(length), Dim(3), Dim(8)});
  const auto heads = [&](const char* name, int zero, const std::vector<int64_t>& perm) {
    const Grid of = grid(kU8, 0.25f, zero);
    return g.dequantize(g.op("Transpose", {g.input(name, fact)}, {{"perm", perm}}), of);
  };
  const ValueId scores = g.op("MatMul", {heads("q", 100, {0, 2, 1, 3}), heads("k", 140, {0, 2, 3, 1})});
  const ValueId weights = g.rounded(scores, grid(kU8, 8.0f, 120));
  g.output(g.op("MatMul", {weights, heads("v", 77, {0, 2, 1, 3})}));
  return g;
}

TEST(FuseQuantized, ProductsOfActivationsAreProductsOfBytes) {
  const Shape shape{2, 6, 3, 8};
  const std::vector<Tensor> inputs{random_bytes(shape, kU8), random_bytes(shape, kU8, 1), random_bytes(shape, kU8, 2)};
  EXPECT_EQ(optimized_ops(attention("")), "Transpose Transpose +QLinearMatMul Transpose +QLinearMatMul");
  expect_exact(attention(""), inputs);
  expect_exact(attention("length"), inputs);
}

TEST(FuseQuantized, ALinearProductOfInt8ActivationsIsThatProduct) {
  ByteGraph g;
  const auto scale = [&](float value) { return g.constant(Tensor::scalar(value)); };
  const Grid of = grid(kS8, 0.125f, 20);
  const ValueId a = g.quantize(g.input("a", Shape{2, 3, 8}), of), b = g.quantize(g.input("b", Shape{2, 8, 5}), of);
  const ValueId zero = g.constant(byte(kS8, 20)), y_zero = g.constant(byte(kS8, -10));
  const ValueId y = g.op("QLinearMatMul", {a, scale(0.125f), zero, b, scale(0.125f), zero, scale(0.5f), y_zero});
  g.output(g.dequantize(y, grid(kS8, 0.5f, -10)));
  EXPECT_EQ(optimized_ops(g), "QuantizeLinear QuantizeLinear +QLinearMatMul DequantizeLinear");
  expect_exact(g, {random_tensor({2, 3, 8}), random_tensor({2, 8, 5}, 1)});
}

TEST(FuseQuantized, SoIsOneOfTwoMatrices) {
  ByteGraph g;
  const Grid of = grid(kU8, 0.25f, 100);
  const ValueId a = g.bytes("a", {4, 8}), b = g.bytes("b", {5, 8});
  const ValueId transposed = g.op("Transpose", {b}, {{"perm", std::vector<int64_t>{1, 0}}});
  g.output(g.op("MatMul", {g.dequantize(a, of), g.dequantize(transposed, of)}));
  EXPECT_EQ(optimized_ops(g), "+QLinearMatMul");
  expect_exact(g, {random_bytes({4, 8}, kU8), random_bytes({5, 8}, kU8)});
}

TEST(FuseQuantized, ProductsOfActivationsInOtherBatchesStay) {
  ByteGraph g;
  const Grid of = grid(kU8, 0.25f, 100);
  g.output(g.op("MatMul", {g.dequantize(g.bytes("a", {1, 4, 8}), of), g.dequantize(g.bytes("b", {3, 8, 5}), of)}));
  expect_floats(g, {random_bytes({1, 4, 8}, kU8), random_bytes({3, 8, 5}, kU8)});
}

}  // namespace
}  // namespace linnet::testing
