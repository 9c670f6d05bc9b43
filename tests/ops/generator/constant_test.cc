#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

Tensor constant(const Attributes& attributes) { return run_op({"Constant", 13, attributes}, {})[0]; }

TEST(Constant, TakesEachOfItsAttributes) {
  const Tensor value = Tensor::of(Shape{1, 2}, std::vector<double>{1, 2});
  expect_close(constant({{"value", value}}), value);
  expect_close(constant({{"sparse_value", value}}), value);
  expect_close(constant({{"value_int", int64_t{3}}}), Tensor::scalar(int64_t{3}));
  expect_close(constant({{"value_float", 0.5f}}), Tensor::scalar(0.5f));
  expect_close(constant({{"value_string", std::string("a")}}), Tensor::scalar(std::string("a")));
  expect_close(constant({{"value_ints", Ints{3, 4}}}), Tensor::of<int64_t>({3, 4}));
  expect_close(constant({{"value_floats", std::vector<float>{}}}), Tensor(DType::kFloat32, {0}));
  expect_close(constant({{"value_strings", std::vector<std::string>{"a", ""}}}), Tensor::of<std::string>({"a", ""}));
}

TEST(Constant, RefusesNoneAndSeveral) {
  expect_error(ErrorKind::kModel, "expected one value attribute, got 0", [] { constant({}); });
  expect_error(ErrorKind::kModel, "expected one value attribute, got 2", [] {
    constant({{"value_int", int64_t{3}}, {"value_float", 1.0f}});
  });
}

TEST(ConstantOfShape, FillsItsShape) {
  const auto filled = [](const Ints& shape, const Attributes& attributes = {}) {
    return run_op({"ConstantOfShape", 9, attributes}, {Tensor::of(shape)})[0];
  };
  expect_close(filled({2, 1}), Tensor::of(Shape{2, 1}, std::vector<float>{0, 0}));
  expect_close(filled({}, {{"value", Tensor::of<int32_t>({7})}}), Tensor::scalar(int32_t{7}));
  expect_close(filled({0, 2}, {{"value", Tensor::of<bool>({true})}}), Tensor(DType::kBool, {0, 2}));
  const Tensor large = filled({1000, 123}, {{"value", Tensor::of<int64_t>({5})}});
  EXPECT_EQ(std::count(large.data<int64_t>(), large.data<int64_t>() + large.size(), 5), 123000);
  expect_error(ErrorKind::kShape, "negative dim -1", [&] { filled({-1}); });
  expect_error(ErrorKind::kModel, "value must be one element", [&] {
    filled({1}, {{"value", Tensor::of<float>({1, 2})}});
  });
}

template <class T>
Tensor range(T start, T limit, T delta) {
  return run_op({"Range", 11}, {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)})[0];
}

TEST(Range, FollowsTheExamplesOfTheSpecification) {
  expect_close(range<float>(3, 9, 3), Tensor::of<float>({3, 6}));
  expect_close(range<int32_t>(10, 4, -2), Tensor::of<int32_t>({10, 8, 6}));
}

TEST(Range, StopsBeforeItsLimit) {
  expect_close(range<int64_t>(INT64_MAX - 2, INT64_MAX, 1), Tensor::of<int64_t>({INT64_MAX - 2, INT64_MAX - 1}));
  const int64_t half_way = int64_t{1} << 62;
  expect_close(range<int64_t>(INT64_MIN, INT64_MAX, half_way),
               Tensor::of<int64_t>({INT64_MIN, -half_way, 0, half_way}));
  expect_close(range<int16_t>(0, 5, 2), Tensor::of<int16_t>({0, 2, 4}));
  expect_close(range<double>(0, 1, 0.3), Tensor::of<double>({0, 0.3, 0.6, 0.3 * 3}));
  EXPECT_EQ(range<float>(1, 1, 1).size(), 0);
  EXPECT_EQ(range<float>(1, 5, -1).size(), 0);
  const Tensor half = run_op({"Range", 27}, {cast_to(Tensor::scalar(2000.0f), DType::kFloat16),
                                             cast_to(Tensor::scalar(2052.0f), DType::kFloat16),
                                             cast_to(Tensor::scalar(1.0f), DType::kFloat16)})[0];
  EXPECT_EQ(half.size(), 52);
  EXPECT_EQ(float(half.data<Half>()[51]), 2052);
}

template <class T>
void expect_multiples(T start, T limit, T delta, int64_t size) {
  const Tensor y = range<T>(start, limit, delta);
  ASSERT_EQ(y.size(), size);
  for (int64_t i = 0; i < size; ++i) ASSERT_EQ(y.data<T>()[i], T(start + T(i) * delta)) << i;
}

TEST(Range, LongRangesConsistOfMultiplesOfDelta) {
  expect_multiples<float>(0.5f, 10'000.5f, 0.125f, 80'000);
  expect_multiples<float>(3e7f, -3e7f, -1.5e3f, 40'000);
  expect_multiples<double>(-1, 7'000, 0.1, 70'010);
  expect_multiples<int64_t>(int64_t{1} << 40, 0, -(int64_t{1} << 24), 1 << 16);
  expect_multiples<int16_t>(32'767, -32'768, -1, 65'535);
}

TEST(Range, RefusesWhatHasNoLength) {
  expect_error(ErrorKind::kShape, "delta must not be 0", [] { range<int32_t>(1, 2, 0); });
  expect_error(ErrorKind::kLimit, "too long", [] { range<float>(0, INFINITY, 1); });
  expect_error(ErrorKind::kLimit, "too long", [] { range<float>(0, NAN, 1); });
}

}  // namespace
}  // namespace linnet::testing
