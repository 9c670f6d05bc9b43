#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

// Tests `drop_clamp_before_quantization`.
namespace linnet::testing {
namespace {

const Shape kClamped{3, 50};

GraphBuilder clamped(const std::string& op, float scale, const Tensor& zero_point, std::vector<float> bounds = {}) {
  GraphBuilder b;
  std::vector<ValueId> inputs{b.op("ReduceMax", {b.input("x", Shape{1, 3, 50})},
                                   {{"axes", std::vector<int64_t>{0}}, {"keepdims", int64_t{0}}})};
  for (const float bound : bounds) inputs.push_back(b.constant(Tensor::scalar(bound)));
  b.output(b.op("QuantizeLinear", {b.op(op, inputs), b.constant(Tensor::scalar(scale)), b.constant(zero_point)}));
  return b;
}

void expect_ops_and_bits(const GraphBuilder& b, const std::string& ops) {
  EXPECT_EQ(optimized_ops(b), ops);
  ModelOptions as_written;
  as_written.optimization = 0;
  Tensor x = random_uniform({1, 3, 50}, -9, 9);
  const float special[] = {INFINITY, -INFINITY, NAN, 0.0f, -0.0f, 6.0f};
  std::copy(std::begin(special), std::end(special), x.data<float>());
  EXPECT_TRUE(identical(run_model(b.model(), {x})[0], run_model(b.model(as_written), {x})[0]));
}

TEST(DropClamp, SaturationDoesWhatItDid) {
  expect_ops_and_bits(clamped("Relu", 0.03f, Tensor::scalar(uint8_t{0})), "ReduceMax QuantizeLinear");
  expect_ops_and_bits(clamped("Relu", 0.03f, Tensor::scalar(int8_t{-128})), "ReduceMax QuantizeLinear");
  expect_ops_and_bits(clamped("Clip", 6.0f / 255, Tensor::scalar(uint8_t{0}), {0, 6}), "ReduceMax QuantizeLinear");
  expect_ops_and_bits(clamped("Clip", 0.01f, Tensor::scalar(uint8_t{100}), {-1, 2}), "ReduceMax QuantizeLinear");
}

TEST(DropClamp, BoundsWithinTheBytesStay) {
  expect_ops_and_bits(clamped("Relu", 0.03f, Tensor::scalar(uint8_t{1})), "ReduceMax Relu QuantizeUint8");
  expect_ops_and_bits(clamped("Clip", 6.1f / 255, Tensor::scalar(uint8_t{0}), {0, 6}), "ReduceMax Clip QuantizeUint8");
  expect_ops_and_bits(clamped("Clip", 0.01f, Tensor::scalar(uint8_t{100}), {-0.9f, 2}), "ReduceMax Clip QuantizeUint8");
}

TEST(DropClamp, OtherFunctionsStay) {
  expect_ops_and_bits(clamped("LeakyRelu", 0.03f, Tensor::scalar(uint8_t{0})), "ReduceMax LeakyRelu QuantizeUint8");
}

TEST(DropClamp, ScalesThatAreNotKnownStay) {
  GraphBuilder b;
  const ValueId y = b.op("Relu", {b.input("x", kClamped)});
  b.output(b.op("QuantizeLinear", {y, b.input("scale", Shape{})}));
  EXPECT_EQ(optimized_ops(b), "Relu QuantizeLinear");
}

}  // namespace
}  // namespace linnet::testing
