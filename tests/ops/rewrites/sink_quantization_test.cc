#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

// Tests that transposes between convolutions sink through QuantizeLinear and DequantizeLinear.
namespace linnet::testing {
namespace {

/// Returns Conv -> Q -> DQ -> Conv with the given scale, zero point and attributes.
GraphBuilder between_convs(const Tensor& scale, const Attributes& attributes, bool constant = true) {
  GraphBuilder b(21);
  const ValueId x = b.input("x", Shape{2, 6, 8, 9}), w = b.constant(random_tensor({6, 6, 3, 3}, 1));
  const ValueId s = constant ? b.constant(scale) : b.input("scale", scale.shape());
  ValueId y = b.op("Conv", {x, w});
  y = b.op("DequantizeLinear", {b.op("QuantizeLinear", {y, s}, attributes), s}, attributes);
  b.output(b.op("Conv", {y, w}));
  return b;
}

void expect_sunk(const GraphBuilder& b, const std::vector<Tensor>& inputs, int transposes) {
  EXPECT_EQ(count_ops(b.model(), "Transpose"), transposes) << optimized_ops(b);
  ModelOptions as_written;
  as_written.optimization = 0;
  // A quantised value may differ by one if the sums of the first Conv differ in the last bits.
  expect_close(run_model(b.model(), inputs)[0], run_model(b.model(as_written), inputs)[0], 0.5);
}

Tensor image() { return random_tensor({2, 6, 8, 9}); }

TEST(SinkQuantization, OneScaleStays) { expect_sunk(between_convs(Tensor::scalar(0.2f), {}), {image()}, 2); }

TEST(SinkQuantization, AScaleThatIsNotConstantStays) {
  expect_sunk(between_convs(Tensor::scalar(0.2f), {}, false), {image(), Tensor::scalar(0.2f)}, 2);
}

TEST(SinkQuantization, ScalesFollowTheirAxis) {
  for (const int64_t axis : {1, -3, 0, 2, -1}) {
    const int64_t length = Shape{2, 6, 6, 7}[int(axis < 0 ? axis + 4 : axis)];
    expect_sunk(between_convs(random_uniform({length}, 0.1f, 0.9f), {{"axis", axis}}), {image()}, 2);
  }
  expect_sunk(between_convs(random_uniform({6}, 0.1f, 0.9f), {}), {image()}, 2);
}

TEST(SinkQuantization, ScalesOfBlocksAreNotTransposed) {
  const Attributes attributes{{"axis", int64_t{1}}, {"block_size", int64_t{2}}};
  expect_sunk(between_convs(random_uniform({2, 3, 6, 7}, 0.1f, 0.9f), attributes), {image()}, 4);
}

TEST(SinkQuantization, QuantisedDynamicallyConvolutionsMeet) {
  GraphBuilder b;
  ValueId x = b.input("x", Shape{2, 6, 8, 9});
  for (int i = 0; i < 2; ++i) {
    const ValueId w = b.constant(cast_to(random_uniform({6, 6, 3, 3}, -127, 127, unsigned(i)), DType::kInt8));
    const std::vector<ValueId> q = b.ops("DynamicQuantizeLinear", {x}, 3);
    const ValueId sums = b.op("Cast", {b.op("ConvInteger", {q[0], w, q[2]})}, {{"to", int64_t{1}}});
    x = b.op("Relu", {b.op("Mul", {sums, b.op("Mul", {q[1], b.constant(Tensor::scalar(0.001f))})})});
  }
  b.output(x);
  EXPECT_EQ(count_ops(b.model(), "QLinearConv", "linnet"), 2);
  EXPECT_EQ(count_ops(b.model(), "Relu"), 0);
  expect_sunk(b, {image()}, 2);
}

}  // namespace
}  // namespace linnet::testing
