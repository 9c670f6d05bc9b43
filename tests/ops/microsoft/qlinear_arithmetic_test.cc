#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::qlinear_arithmetic {
namespace {

const Tensor kHalf = Tensor::scalar(0.5f), kTwo = Tensor::of<float>({2});

template <class T>
void expect_sum_and_product() {
  const Tensor a = scattered<T>({3, 4}), b = scattered<T>({4}, 91);
  const Tensor a_zero = Tensor::scalar(T(7)), b_zero = Tensor::of<T>({3}), zero = Tensor::scalar(T(100));
  Tensor sum(dtype_of<T>, {3, 4}), product(dtype_of<T>, {3, 4});
  for (int64_t i = 0; i < 12; ++i) {
    const double left = (a.data<T>()[i] - 7) * 0.5, right = (b.data<T>()[i % 4] - 3) * 2;
    sum.data<T>()[i] = rounded_to<T>(left + right, 0.75f, 100);
    product.data<T>()[i] = rounded_to<T>(left * right, 0.75f, 100);
  }
  const std::vector<Tensor> inputs{a, kHalf, a_zero, b, kTwo, b_zero, Tensor::scalar(0.75f), zero};
  expect_close(run_expanded("QLinearAdd", {}, inputs)[0], sum);
  expect_close(run_expanded("QLinearMul", {}, inputs)[0], product);
}

TEST(QLinearArithmetic, AddsAndMultipliesWhatIsMeant) {
  expect_sum_and_product<uint8_t>();
  expect_sum_and_product<int8_t>();
}

TEST(QLinearArithmetic, ZeroPointsMayBeOmitted) {
  const Tensor a = Tensor::of<int8_t>({-100, 3}), b = Tensor::of<int8_t>({1, 2});
  expect_close(run_expanded("QLinearAdd", {}, {a, kHalf, Tensor(), b, kTwo, Tensor(), kHalf})[0],
               Tensor::of<int8_t>({-96, 11}));
}

Tensor with(size_t position, const Tensor& other) {
  std::vector<Tensor> inputs{
      scattered<uint8_t>({4}),    kHalf, Tensor::scalar(uint8_t{1}), scattered<uint8_t>({4}), kHalf,
      Tensor::scalar(uint8_t{1}), kHalf, Tensor::scalar(uint8_t{1})};
  inputs[position] = other;
  return run_op({"QLinearAdd", 1, {}, "com.microsoft"}, inputs, 1, {1, 2, 4, 5, 6, 7})[0];
}

TEST(QLinearArithmetic, RefusesScalesThatAreNone) {
  for (const float scale : {0.0f, -1.0f, INFINITY, NAN}) {
    expect_error(ErrorKind::kModel, "A_scale", [&] { with(1, Tensor::scalar(scale)); });
    expect_error(ErrorKind::kModel, "C_scale", [&] { with(6, Tensor::scalar(scale)); });
  }
  expect_error(ErrorKind::kShape, "B_scale", [] { with(4, Tensor::of<float>({1, 2})); });
  expect_error(ErrorKind::kType, "B_scale", [] { with(4, Tensor::scalar(1.0)); });
  expect_error(ErrorKind::kModel, "A_scale", [] { with(1, Tensor()); });
}

TEST(QLinearArithmetic, RefusesOtherTypesAndZeroPoints) {
  expect_error(ErrorKind::kType, "A", [] { with(0, random_tensor({4})); });
  expect_error(ErrorKind::kType, "A and B", [] {
    run_op({"QLinearMul", 1, {}, "com.microsoft"},
           {scattered<uint8_t>({4}), kHalf, Tensor(), scattered<int8_t>({4}), kHalf, Tensor(), kHalf});
  });
  expect_error(ErrorKind::kType, "A_zero_point", [] { with(2, Tensor::scalar(int8_t{1})); });
  expect_error(ErrorKind::kShape, "B_zero_point", [] { with(5, Tensor::of<uint8_t>({1, 2})); });
  expect_error(ErrorKind::kType, "C_zero_point", [] { with(7, Tensor::scalar(int8_t{1})); });
  expect_error(ErrorKind::kShape, "broadcast", [] { with(3, scattered<uint8_t>({3})); });
}

}  // namespace
}  // namespace linnet::testing::qlinear_arithmetic
