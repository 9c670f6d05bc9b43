#include <gtest/gtest.h>

#include "support/run_expanded.h"

// Tests operators that are equivalent to one or two of ONNX.
namespace linnet::testing::microsoft_data {
namespace {

const Tensor kX = random_tensor({2, 3, 4}, 1);

TEST(BiasAdd, AddsBoth) {
  const Tensor bias = random_tensor({4}, 2), skip = random_tensor({2, 3, 4}, 3);
  Tensor want(DType::kFloat32, kX.shape());
  for (int64_t i = 0; i < want.size(); ++i) {
    want.data<float>()[i] = kX.data<float>()[i] + bias.data<float>()[i % 4] + skip.data<float>()[i];
  }
  expect_close(run_expanded("BiasAdd", {}, {kX, bias, skip})[0], want);
  const OpCase op{"BiasAdd", 1, {}, "com.microsoft"};
  expect_error(ErrorKind::kShape, "bias", [&] { run_op(op, {kX, random_tensor({1}), skip}); });
  expect_error(ErrorKind::kShape, "skip", [&] { run_op(op, {kX, bias, random_tensor({1, 3, 4})}); });
}

TEST(NhwcMaxPool, IsMaxPoolOfTransposedImages) {
  const Attributes attributes{{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 1}}};
  const Attributes last{{"perm", std::vector<int64_t>{0, 2, 3, 1}}};
  const Tensor x = scattered<int8_t>({1, 3, 4, 5});
  const Tensor want = run_op({"Transpose", 13, last}, run_op({"MaxPool", 12, attributes}, {x}))[0];
  expect_close(run_expanded("NhwcMaxPool", attributes, run_op({"Transpose", 13, last}, {x}))[0], want);
  expect_error(ErrorKind::kType, "x", [&] { run_op({"NhwcMaxPool", 1, attributes, "com.microsoft"}, {kX}); });
}

TEST(QLinearReduceMean, RoundsTheMean) {
  const Tensor x = scattered<uint8_t>({2, 3, 4}), scale = Tensor::scalar(0.5f), zero = Tensor::scalar(uint8_t{3});
  const Attributes attributes{{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{0}}};
  const Tensor y = run_expanded("QLinearReduceMean", attributes, {x, scale, zero, Tensor::scalar(0.73f), zero})[0];
  ASSERT_EQ(y.shape(), (Shape{2, 4}));
  for (int64_t i = 0; i < 8; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < 3; ++j) sum += 0.5 * (x.data<uint8_t>()[i / 4 * 12 + j * 4 + i % 4] - 3);
    EXPECT_EQ(y.data<uint8_t>()[i], rounded_to<uint8_t>(sum / 3, double(0.73f), 3)) << i;
  }
}

TEST(CDist, IsTheDistanceOfRows) {
  const Tensor a = random_tensor({3, 5}, 1), b = random_tensor({4, 5}, 2);
  Tensor square(DType::kFloat32, {3, 4}), distance(DType::kFloat32, {3, 4});
  for (int64_t i = 0; i < 12; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < 5; ++k) {
      sum += std::pow(double(a.data<float>()[i / 4 * 5 + k]) - double(b.data<float>()[i % 4 * 5 + k]), 2);
    }
    square.data<float>()[i] = float(sum);
    distance.data<float>()[i] = float(std::sqrt(sum));
  }
  expect_close(run_expanded("CDist", {}, {a, b})[0], square, 1e-5, 1e-5);
  expect_close(run_expanded("CDist", {{"metric", std::string("euclidean")}}, {a, b})[0], distance, 1e-5, 1e-5);
  const Tensor same = run_expanded("CDist", {{"metric", std::string("euclidean")}}, {a, a})[0];
  for (int64_t i = 0; i < 3; ++i) EXPECT_GE(same.data<float>()[i * 4], 0);
  const OpCase other{"CDist", 1, {{"metric", std::string("cosine")}}, "com.microsoft"};
  expect_error(ErrorKind::kModel, "cosine", [&] { run_op(other, {a, b}); });
}

TEST(Namesake, IsTheOperatorOfOnnx) {
  const Tensor where = Tensor::of<int32_t>({2, 2}, {0, -1, 1, 0});
  expect_close(run_expanded("GatherND", {}, {kX, where})[0],
               run_op({"GatherND", 13}, {kX, cast_to(where, DType::kInt64)})[0]);
  const Tensor one = Tensor::scalar<int64_t>(1);
  expect_close(run_expanded("Trilu", {{"upper", int64_t{0}}}, {kX, one})[0],
               run_op({"Trilu", 14, {{"upper", int64_t{0}}}}, {kX, one})[0]);
  const Tensor pads = Tensor::of<int64_t>({0, 1, 2, 0, 1, 0});
  const Tensor want = run_op({"Pad", 13, {{"mode", std::string("reflect")}}}, {kX, pads})[0];
  for (const Tensor& given : {pads, pads.reshaped({1, 6})}) {
    expect_close(run_expanded("Pad", {{"mode", std::string("reflect")}}, {kX, given})[0], want);
  }
}

TEST(ExpandDims, AddsADim) {
  expect_close(run_expanded("ExpandDims", {}, {kX, Tensor::scalar<int32_t>(-2)})[0], kX.reshaped({2, 3, 1, 4}));
  expect_close(run_expanded("ExpandDims", {}, {kX, Tensor::of<int32_t>({0})})[0], kX.reshaped({1, 2, 3, 4}));
  const OpCase op{"ExpandDims", 1, {}, "com.microsoft"};
  expect_error(ErrorKind::kType, "axis", [&] { run_op(op, {kX, Tensor::scalar<int64_t>(0)}); });
}

TEST(MicrosoftRange, StepsByOneWhereNoDeltaIsGiven) {
  const Tensor three = Tensor::scalar<int32_t>(3), seven = Tensor::of<int32_t>({7});
  expect_close(run_expanded("Range", {}, {three, seven})[0], Tensor::of<int32_t>({3, 4, 5, 6}));
  expect_close(run_expanded("Range", {}, {three, seven, Tensor::scalar<int32_t>(3)})[0], Tensor::of<int32_t>({3, 6}));
}

TEST(MicrosoftUnique, KeepsTheOrderOfFirstOccurrence) {
  const auto y = run_expanded("Unique", {}, {Tensor::of<float>({2, 1, 1, 3, 4, 3})}, 3);
  expect_close(y[0], Tensor::of<float>({2, 1, 3, 4}));
  expect_close(y[1], Tensor::of<int64_t>({0, 1, 1, 2, 3, 2}));
  expect_close(y[2], Tensor::of<int64_t>({1, 2, 2, 1}));
}

}  // namespace
}  // namespace linnet::testing::microsoft_data
