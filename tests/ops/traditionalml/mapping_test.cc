#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;

Tensor encode(int64_t opset, const Attributes& attributes, const Tensor& x) {
  return run_op({"LabelEncoder", opset, attributes, "ai.onnx.ml"}, {x})[0];
}

TEST(LabelEncoder, MapsAllPairsOfLists) {
  const std::vector<std::pair<std::string, Attribute>> keys = {
      {"keys_strings", Strings{"2", "7"}}, {"keys_int64s", Ints{2, 7}}, {"keys_floats", Floats{2, 7}}};
  const std::vector<std::pair<std::string, Attribute>> values = {{"values_strings", Strings{"two", "seven"}},
                                                                 {"values_int64s", Ints{20, 70}},
                                                                 {"values_floats", Floats{0.2f, 0.7f}}};
  const Tensor inputs[] = {Tensor::of<std::string>({"7", "3", "2"}), Tensor::of<int64_t>({7, 3, 2}),
                           Tensor::of<float>({7, 3, 2})};
  const Tensor outputs[] = {Tensor::of<std::string>({"seven", "_Unused", "two"}), Tensor::of<int64_t>({70, -1, 20}),
                            Tensor::of<float>({0.7f, -0.0f, 0.2f})};
  for (const int64_t opset : {2, 3, 4, 5}) {
    for (size_t k = 0; k < 3; ++k) {
      for (size_t v = 0; v < 3; ++v) {
        EXPECT_TRUE(identical(encode(opset, {keys[k], values[v]}, inputs[k]), outputs[v]));
      }
    }
  }
}

TEST(LabelEncoder, MapsTensors) {
  const Attributes attributes{{"keys_tensor", Tensor::of<int16_t>({1, 2, 1})},
                              {"values_tensor", Tensor::of<double>({0.1, 0.2, 0.3})},
                              {"default_tensor", Tensor::of<double>({-5})}};
  expect_close(encode(4, attributes, Tensor::of(Shape{2, 2}, std::vector<int16_t>{1, 2, 3, 1})),
               Tensor::of(Shape{2, 2}, std::vector<double>{0.3, 0.2, -5, 0.3}));
  const Attributes ints{{"keys_tensor", Tensor::of<double>({1.5})}, {"values_tensor", Tensor::of<int32_t>({4})}};
  expect_close(encode(4, ints, Tensor::of<double>({1.5, 2})), Tensor::of<int32_t>({4, -1}));
  expect_close(encode(4, ints, Tensor::scalar(1.5)), Tensor::scalar(int32_t{4}));
}

TEST(LabelEncoder, FindsFloatsByTheirBitsOrFromVersion4OnByValue) {
  const Attributes attributes{{"keys_floats", Floats{0, 1, 1, NAN, -NAN}}, {"values_int64s", Ints{1, 2, 3, 4, 5}}};
  const Tensor x = Tensor::of<float>({-0.0f, 1, NAN, -NAN, 9});
  expect_close(encode(2, attributes, x), Tensor::of<int64_t>({-1, 2, 4, 5, -1}));
  expect_close(encode(4, attributes, x), Tensor::of<int64_t>({1, 3, 5, 5, -1}));
}

TEST(LabelEncoder, CountsTheClassesInVersionOne) {
  const Attributes attributes{{"classes_strings", Strings{"a", "b"}}, {"default_int64", int64_t{-7}}};
  expect_close(encode(1, attributes, Tensor::of<std::string>({"b", "c", "a"})), Tensor::of<int64_t>({1, -7, 0}));
  expect_close(encode(1, attributes, Tensor::of<int64_t>({1, 2, -1})),
               Tensor::of<std::string>({"b", "_Unused", "_Unused"}));
}

TEST(LabelEncoder, TakesTheFirstOfEqualStringsOrFromVersion4OnTheLast) {
  const Attributes attributes{{"keys_strings", Strings{"a", "b", "a"}}, {"values_int64s", Ints{1, 2, 3}}};
  const Tensor x = Tensor::of<std::string>({"a", "b", ""});
  expect_close(encode(2, attributes, x), Tensor::of<int64_t>({1, 2, -1}));
  expect_close(encode(4, attributes, x), Tensor::of<int64_t>({3, 2, -1}));
}

TEST(LabelEncoder, RefusesListsThatDoNotFit) {
  const Tensor x = Tensor::of<int64_t>({1});
  expect_error(ErrorKind::kModel, "exactly one of keys_strings", [&] { encode(4, {{"values_int64s", Ints{1}}}, x); });
  expect_error(ErrorKind::kModel, "exactly one of values_strings", [&] {
    encode(4, {{"keys_int64s", Ints{1}}, {"values_int64s", Ints{1}}, {"values_floats", Floats{1}}}, x);
  });
  expect_error(ErrorKind::kModel, "the values must have 2 values, got 1", [&] {
    encode(4, {{"keys_int64s", Ints{1, 2}}, {"values_int64s", Ints{1}}}, x);
  });
  expect_error(ErrorKind::kModel, "default_tensor must be one int64", [&] {
    encode(4, {{"keys_int64s", Ints{1}}, {"values_int64s", Ints{1}}, {"default_tensor", Tensor::of<float>({1})}}, x);
  });
  expect_error(ErrorKind::kType, "X must be float32 as the keys are, got int64", [&] {
    encode(4, {{"keys_floats", Floats{1}}, {"values_int64s", Ints{1}}}, x);
  });
}

TEST(CategoryMapper, MapsBothWays) {
  const OpCase op{"CategoryMapper",
                  1,
                  {{"cats_int64s", Ints{3, 8, 8}},
                   {"cats_strings", Strings{"a", "b", "c"}},
                   {"default_string", std::string("none")},
                   {"default_int64", int64_t{-2}}},
                  "ai.onnx.ml"};
  expect_close(run_op(op, {Tensor::of<int64_t>({8, 1, 3})})[0], Tensor::of<std::string>({"b", "none", "a"}));
  expect_close(run_op(op, {Tensor::of<std::string>({"c", "x", "a"})})[0], Tensor::of<int64_t>({8, -2, 3}));
  expect_error(ErrorKind::kModel, "cats_int64s must have 1 values, got 0", [] {
    run_op({"CategoryMapper", 1, {{"cats_strings", Strings{"a"}}}, "ai.onnx.ml"}, {Tensor::of<int64_t>({1})});
  });
}

TEST(OneHotEncoder, MarksTheCategory) {
  const auto encode_ints = [](const Tensor& x, int64_t zeros = 1) {
    return run_op({"OneHotEncoder", 1, {{"cats_int64s", Ints{1, 3}}, {"zeros", zeros}}, "ai.onnx.ml"}, {x})[0];
  };
  const Tensor want = Tensor::of(Shape{1, 3, 2}, Floats{0, 1, 0, 0, 1, 0});
  const Tensor x = Tensor::of(Shape{1, 3}, Floats{3, 2, 1});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64}) {
    expect_close(encode_ints(cast_to(x, dtype)), want);
  }
  expect_close(encode_ints(Tensor::of<float>({3.9f, 1e30f, NAN})), Tensor::of(Shape{3, 2}, Floats{0, 1, 0, 0, 0, 0}));
  expect_error(ErrorKind::kModel, "element 1 of X is not among the categories: 2", [&] { encode_ints(x, 0); });
  const OpCase strings{"OneHotEncoder", 1, {{"cats_strings", Strings{"x", "y"}}}, "ai.onnx.ml"};
  expect_close(run_op(strings, {Tensor::of<std::string>({"y", "z"})})[0], Tensor::of(Shape{2, 2}, Floats{0, 1, 0, 0}));
  expect_error(ErrorKind::kType, "X must be string as the categories are", [&] { run_op(strings, {x}); });
}

TEST(OneHotEncoder, MarksManyElements) {
  const Attributes attributes{{"cats_int64s", Ints{3, 0, 7, 1}}};
  const Tensor numbers = random_uniform({3, 70}, 0, 8.9f);
  for (const DType dtype : {DType::kInt64, DType::kInt32, DType::kFloat32}) {
    const Tensor x = cast_to(numbers, dtype);
    const Tensor y = run_op({"OneHotEncoder", 1, attributes, "ai.onnx.ml"}, {x})[0];
    ASSERT_EQ(y.shape(), (Shape{3, 70, 4}));
    for (int64_t i = 0; i < y.size(); ++i) {
      const int64_t category = Ints{3, 0, 7, 1}[size_t(i % 4)];
      ASSERT_EQ(y.data<float>()[i], int64_t(numbers.data<float>()[i / 4]) == category ? 1 : 0) << dtype << " " << i;
    }
  }
  Ints known(200, 7);
  known[150] = 4;
  const OpCase strict{"OneHotEncoder", 1, {{"cats_int64s", Ints{7}}, {"zeros", int64_t{0}}}, "ai.onnx.ml"};
  expect_error(ErrorKind::kModel, "element 150 of X is not among the categories: 4",
               [&] { run_op(strict, {Tensor::of(known)}); });
}

/// Tests keys of every type, a third of them repeated, with elements half of which are not keys.
template <class T>
void expect_places(T factor) {
  const int64_t count = 3000;
  std::vector<T> keys;
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) {
    keys.push_back(T(T(i * 7919 % 2003) * factor));
    values.push_back(i);
  }
  std::vector<T> x;
  for (int64_t i = 0; i < 2 * count; ++i) x.push_back(T(T(i) * factor));
  const Tensor y =
      run_op({"LabelEncoder",
              4,
              {{"keys_tensor", Tensor::of(keys)}, {"values_int64s", values}, {"default_int64", int64_t{-5}}},
              "ai.onnx.ml"},
             {Tensor::of(x)})[0];
  for (int64_t i = 0; i < y.size(); ++i) {
    const auto last = std::find(keys.rbegin(), keys.rend(), x[size_t(i)]);
    const int64_t want = last == keys.rend() ? -5 : std::distance(last, keys.rend()) - 1;
    ASSERT_EQ(y.data<int64_t>()[i], want) << i;
  }
}

TEST(LabelEncoder, FindsManyKeys) {
  expect_places<int64_t>(1);
  expect_places<int64_t>(int64_t{1} << 48);
  expect_places<int32_t>(-3);
  expect_places<float>(0.25f);
  expect_places<double>(1e300);
}

}  // namespace
}  // namespace linnet::testing
