#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

const Shape kImage{2, 5, 8, 9};

Attributes window(const Attributes& more = {}) {
  Attributes attributes = more;
  attributes["kernel_shape"] = Ints{3, 2};
  attributes["pads"] = Ints{1, 1, 1, 0};
  return attributes;
}

Tensor random_image(const Shape& shape = kImage) { return cast_to(random_uniform(shape, 0, 255.9f), DType::kUint8); }

ValueId convert(GraphBuilder& b, const std::string& op, ValueId x, float scale = 0.1f, uint8_t zero = 30) {
  return b.op(op, {x, b.constant(Tensor::scalar(scale)), b.constant(Tensor::scalar(zero))});
}
ValueId dequantized(GraphBuilder& b, const Shape& shape = kImage) {
  return convert(b, "DequantizeLinear", b.input("x", Fact(DType::kUint8, shape)));
}

/// Expects the outputs to be the same bits as without rewrites.
void expect_same_bits(const GraphBuilder& b, const Tensor& x) {
  ModelOptions as_written;
  as_written.optimization = 0;
  const auto want = run_model(b.model(as_written), {x}), got = run_model(b.model(), {x});
  for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(identical(got[i], want[i]));
}

TEST(PoolBytes, TheLargestByteStandsForTheLargestValue) {
  for (const char* op : {"MaxPool", "GlobalMaxPool"}) {
    GraphBuilder b(11);
    b.output(convert(b, "QuantizeLinear", b.op(op, {dequantized(b)}, window())));
    EXPECT_EQ(optimized_ops(b), op);
    const Model model = b.model();
    EXPECT_GE(model_graph(model).node(model_graph(model).nodes()[0]).spec.opset, 12);
    expect_same_bits(b, random_image());
  }
}

TEST(PoolBytes, AnotherGridIsATable) {
  GraphBuilder b;
  b.output(convert(b, "QuantizeLinear", b.op("MaxPool", {dequantized(b)}, window()), 0.2f));
  EXPECT_EQ(optimized_ops(b), "MaxPool DequantizeLinear QuantizeUint8");
  expect_same_bits(b, random_image());
}

TEST(PoolBytes, OtherReadersOfTheFloatsKeepThem) {
  GraphBuilder b;
  const ValueId x = dequantized(b);
  b.output(b.op("MaxPool", {x}, window()));
  b.output(x);
  EXPECT_EQ(optimized_ops(b), "MaxPool DequantizeLinear DequantizeLinear");
  expect_same_bits(b, random_image());
}

TEST(PoolBytes, MeansReadBytesChannelsLast) {
  for (const bool global : {false, true}) {
    GraphBuilder b;
    const ValueId x = b.op("Transpose", {dequantized(b)}, {{"perm", Ints{0, 3, 1, 2}}});
    b.output(b.op(global ? "GlobalAveragePool" : "AveragePool", {x}, global ? Attributes{} : window()));
    EXPECT_EQ(optimized_ops(b), global ? "+GlobalAveragePool Transpose" : "+AveragePool Transpose");
    expect_unchanged(b, {random_image()});
  }
}

/// Returns a channels-last mean of bytes that are quantised again.
GraphBuilder quantised_mean(bool global, DType y, const Shape& shape = kImage) {
  GraphBuilder b;
  const ValueId x = b.op("Transpose", {dequantized(b, shape)}, {{"perm", Ints{0, 3, 1, 2}}});
  const ValueId mean = b.op(global ? "GlobalAveragePool" : "AveragePool", {x}, global ? Attributes{} : window());
  const ValueId zero = b.constant(y == DType::kUint8 ? Tensor::scalar(uint8_t{17}) : Tensor::scalar(int8_t{-111}));
  b.output(b.op("QuantizeLinear", {mean, b.constant(Tensor::scalar(0.07f)), zero}));
  return b;
}

TEST(PoolBytes, MeansBecomeBytes) {
  for (const bool global : {false, true}) {
    const GraphBuilder b = quantised_mean(global, DType::kUint8);
    EXPECT_EQ(optimized_ops(b), global ? "+GlobalAveragePool Transpose" : "+AveragePool Transpose");
    ModelOptions floats;
    floats.disabled_rewrites = {"quantize_in_pool"};
    const Tensor x = random_image();
    EXPECT_TRUE(identical(run_model(b.model(), {x})[0], run_model(b.model(floats), {x})[0]));
  }
}

TEST(PoolBytes, TheMeanOfNothingIsTheZeroPoint) {
  const GraphBuilder b = quantised_mean(true, DType::kUint8, {2, 0, 8, 9});
  EXPECT_EQ(optimized_ops(b), "+GlobalAveragePool Transpose");
  const Tensor y = run_model(b.model(), {Tensor(DType::kUint8, {2, 0, 8, 9})})[0];
  for (int64_t i = 0; i < y.size(); ++i) EXPECT_EQ(y.data<uint8_t>()[i], 17);
}

TEST(PoolBytes, MeansThatBecomeAnotherTypeStayFloats) {
  EXPECT_EQ(optimized_ops(quantised_mean(true, DType::kInt8)), "+GlobalAveragePool QuantizeLinear Transpose");
}

TEST(PoolBytes, MeansOfOtherLayoutsStay) {
  GraphBuilder b;
  b.output(b.op("AveragePool", {dequantized(b)}, window()));
  EXPECT_EQ(optimized_ops(b), "DequantizeLinear AveragePool");
}

TEST(PoolBytes, MeansOfHugeImagesStay) {
  GraphBuilder b;
  const ValueId x = dequantized(b, {1, 4096, 4096, 1});
  b.output(b.op("GlobalAveragePool", {x}, {}, "linnet"));
  EXPECT_EQ(optimized_ops(b), "DequantizeLinear +GlobalAveragePool");
}

TEST(PoolBytes, WindowsThatMayMeetNoDataStay) {
  GraphBuilder b;
  b.output(b.op("MaxPool", {dequantized(b)}, window({{"dilations", Ints{2, 1}}})));
  EXPECT_EQ(optimized_ops(b), "DequantizeLinear MaxPool");
  GraphBuilder empty;
  empty.output(empty.op("GlobalMaxPool", {dequantized(empty, {2, 5, 0, 9})}));
  EXPECT_EQ(optimized_ops(empty), "DequantizeLinear GlobalMaxPool");
}

TEST(PoolBytes, IndicesStay) {
  GraphBuilder b;
  for (const ValueId y : b.ops("MaxPool", {dequantized(b)}, 2, window())) b.output(y);
  EXPECT_EQ(optimized_ops(b), "DequantizeLinear MaxPool");
}

TEST(PoolBytes, ScalesThatAreNotKnownOrNegativeStay) {
  GraphBuilder unknown;
  const ValueId bytes = unknown.input("x", Fact(DType::kUint8, kImage));
  unknown.output(
      unknown.op("MaxPool", {unknown.op("DequantizeLinear", {bytes, unknown.input("scale", Shape{})})}, window()));
  EXPECT_EQ(optimized_ops(unknown), "DequantizeLinear MaxPool");
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kUint8, kImage));
  b.output(b.op("MaxPool", {convert(b, "DequantizeLinear", x, -0.1f)}, window()));
  EXPECT_EQ(optimized_ops(b), "DequantizeLinear MaxPool");
  expect_same_bits(b, random_image());
}

TEST(DropRequantization, BackOnTheSameGridIsNothing) {
  GraphBuilder b;
  const ValueId x =
      b.op("Reshape", {b.input("x", Fact(DType::kUint8, Shape{256})), b.constant(Tensor::of<int64_t>({16, 16}))});
  b.output(convert(b, "QuantizeLinear", convert(b, "DequantizeLinear", x)));
  EXPECT_EQ(optimized_ops(b), "Reshape");
  Tensor bytes(DType::kUint8, {256});
  for (int i = 0; i < 256; ++i) bytes.data<uint8_t>()[i] = uint8_t(i);
  expect_same_bits(b, bytes);
}

TEST(DropRequantization, AnInputMayBeTheOutput) {
  GraphBuilder b;
  b.output(convert(b, "QuantizeLinear", dequantized(b)));
  expect_same_bits(b, random_image());
}

TEST(DropRequantization, AnotherGridStays) {
  const auto ops = [](float scale, uint8_t zero) {
    GraphBuilder b;
    b.output(convert(b, "QuantizeLinear", dequantized(b), scale, zero));
    return optimized_ops(b);
  };
  EXPECT_EQ(ops(0.1f, 30), "");
  EXPECT_EQ(ops(0.1001f, 30), "DequantizeLinear QuantizeUint8");
  EXPECT_EQ(ops(0.1f, 31), "DequantizeLinear QuantizeUint8");
}

TEST(DropRequantization, ValuesThatOverflowStay) {
  GraphBuilder b;
  const ValueId x = convert(b, "DequantizeLinear", b.input("x", Fact(DType::kUint8, kImage)), 1e38f);
  b.output(convert(b, "QuantizeLinear", x, 1e38f));
  EXPECT_EQ(optimized_ops(b), "DequantizeLinear QuantizeUint8");
  expect_same_bits(b, random_image());
}

}  // namespace
}  // namespace linnet::testing
