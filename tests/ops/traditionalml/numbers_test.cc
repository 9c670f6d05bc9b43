#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

constexpr DType kNumbers[] = {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64};

Tensor run_ml(const std::string& op, const Attributes& attributes, const std::vector<Tensor>& inputs) {
  return run_op({op, 1, attributes, "ai.onnx.ml"}, inputs)[0];
}

Tensor table(const Floats& values) { return Tensor::of(Shape{2, int64_t(values.size()) / 2}, values); }

TEST(ArrayFeatureExtractor, TakesColumns) {
  const Tensor x = table({0, 1, 2, 3, 4, 5});
  expect_close(run_ml("ArrayFeatureExtractor", {}, {x, Tensor::of(Shape{1, 3}, Ints{2, 0, 2})}),
               table({2, 0, 2, 5, 3, 5}));
  expect_close(run_ml("ArrayFeatureExtractor", {}, {Tensor::of<std::string>({"a", "b"}), Tensor::of<int64_t>({1})}),
               Tensor::of(Shape{1, 1}, std::vector<std::string>{"b"}));
  for (const int64_t index : {-1, 3}) {
    expect_error(ErrorKind::kShape, "is out of range", [&] {
      run_ml("ArrayFeatureExtractor", {}, {x, Tensor::of<int64_t>({0, index})});
    });
  }
}

TEST(Binarizer, ComparesWithTheThreshold) {
  for (const DType dtype : kNumbers) {
    const Tensor x = cast_to(Tensor::of<float>({-1, 0, 1, 2}), dtype);
    expect_close(run_ml("Binarizer", {{"threshold", 0.5f}}, {x}), cast_to(Tensor::of<float>({0, 0, 1, 1}), dtype));
    expect_close(run_ml("Binarizer", {{"threshold", -0.5f}}, {x}), cast_to(Tensor::of<float>({0, 1, 1, 1}), dtype));
  }
  expect_close(run_ml("Binarizer", {}, {Tensor::of<float>({0, NAN, 1e-30f})}), Tensor::of<float>({0, 0, 1}));
}

TEST(FeatureVectorizer, PutsInputsSideBySide) {
  const Tensor a = table({1, 2, 3, 4, 5, 6}), b = table({7, 8});
  expect_close(run_ml("FeatureVectorizer", {}, {a, b}), table({1, 2, 3, 7, 4, 5, 6, 8}));
  expect_close(run_ml("FeatureVectorizer", {{"inputdimensions", Ints{2, 2}}}, {a, b}), table({1, 2, 7, 0, 4, 5, 8, 0}));
  const Tensor one = Tensor::of<int32_t>({1, 2});
  expect_close(run_ml("FeatureVectorizer", {}, {one, one}), Tensor::of(Shape{1, 4}, Floats{1, 2, 1, 2}));
  expect_error(ErrorKind::kModel, "inputdimensions must have 2 values, got 1", [&] {
    run_ml("FeatureVectorizer", {{"inputdimensions", Ints{3}}}, {a, b});
  });
  expect_error(ErrorKind::kShape, "numbers of rows must be equal", [&] {
    run_ml("FeatureVectorizer", {}, {a, Tensor::of<float>({1})});
  });
}

TEST(Imputer, ReplacesOneValue) {
  const Attributes each{{"imputed_value_floats", Floats{10, 20}}, {"replaced_value_float", float(NAN)}};
  expect_close(run_ml("Imputer", each, {table({NAN, 1, 2, NAN})}), table({10, 1, 2, 20}));
  expect_close(run_ml("Imputer", {{"imputed_value_floats", Floats{5}}}, {table({0, 1, -0.0f, NAN})}),
               table({5, 1, 5, NAN}));
  const Attributes ints{{"imputed_value_int64s", Ints{9}}, {"replaced_value_int64", int64_t{-1}}};
  expect_close(run_ml("Imputer", ints, {Tensor::of<int32_t>({-1, 3})}), Tensor::of<int32_t>({9, 3}));
  expect_close(run_ml("Imputer", ints, {Tensor::of<int64_t>({-1, 3})}), Tensor::of<int64_t>({9, 3}));
}

/// Tests rows of any width, with a value for each feature or one for all, in more rows than are divided among workers.
TEST(Imputer, ReplacesElementsOfEveryFeature) {
  for (const int64_t width : {1, 3, 64, 100}) {
    const Tensor drawn = random_uniform({40000 / width, width}, 0, 3);
    const Tensor x = cast_to(cast_to(drawn, DType::kInt32), DType::kFloat32);
    Floats values;
    for (int64_t i = 0; i < width; ++i) values.push_back(float(10 + i));
    for (const Floats& imputed : {values, Floats{7}}) {
      const Attributes attributes{{"imputed_value_floats", imputed}, {"replaced_value_float", 1.0f}};
      const Tensor y = run_ml("Imputer", attributes, {x});
      for (int64_t i = 0; i < x.size(); ++i) {
        const float v = x.data<float>()[i];
        ASSERT_EQ(y.data<float>()[i], v == 1 ? imputed[size_t(i % width) % imputed.size()] : v) << i << " of " << width;
      }
    }
  }
}

TEST(Imputer, RefusesValuesThatDoNotFit) {
  expect_error(ErrorKind::kModel, "exactly one of imputed_value_floats", [] {
    run_ml("Imputer", {}, {table({0, 1})});
  });
  expect_error(ErrorKind::kType, "X must be integer", [] {
    run_ml("Imputer", {{"imputed_value_int64s", Ints{9}}}, {table({0, 1})});
  });
  expect_error(ErrorKind::kShape, "features and imputed values", [] {
    run_ml("Imputer", {{"imputed_value_floats", Floats{1, 2, 3}}}, {table({0, 1, 2, 3})});
  });
  expect_error(ErrorKind::kModel, "does not fit into the dtype of X, int32", [] {
    run_ml("Imputer", {{"imputed_value_int64s", Ints{int64_t{1} << 40}}}, {Tensor::of<int32_t>({1})});
  });
}

TEST(Scaler, SubtractsAndMultiplies) {
  for (const DType dtype : kNumbers) {
    const Tensor x = cast_to(table({0, 1, 2, 3, 4, 5}), dtype);
    expect_close(run_ml("Scaler", {{"offset", Floats{1, 2, 3}}, {"scale", Floats{2, 4, 0.5f}}}, {x}),
                 table({-2, -4, -0.5f, 4, 8, 1}));
    expect_close(run_ml("Scaler", {{"scale", Floats{2}}}, {x}), table({0, 2, 4, 6, 8, 10}));
  }
  const Tensor many = random_tensor({700, 3}, 1);
  Tensor want = many.clone();
  const Floats offset{0, 0.1f, 0.7f};
  for (int64_t i = 0; i < want.size(); ++i) {
    want.data<float>()[i] = (want.data<float>()[i] - offset[size_t(i % 3)]) * 0.3f;  // The value is rounded twice.
  }
  expect_close(run_ml("Scaler", {{"offset", offset}, {"scale", Floats{0.3f, 0.3f, 0.3f}}}, {many}), want);
  expect_error(ErrorKind::kModel, "scale must have 2 values, got 3", [] {
    run_ml("Scaler", {{"offset", Floats{1, 2}}, {"scale", Floats{1, 2, 3}}}, {table({0, 1})});
  });
  expect_error(ErrorKind::kShape, "features and values", [] {
    run_ml("Scaler", {{"offset", Floats{1, 2}}}, {table({0, 1, 2, 3, 4, 5})});
  });
}

TEST(Normalizer, DividesEachRow) {
  const Tensor x = Tensor::of(Shape{3, 3}, Floats{-1, -2, 0.5f, 0, 0, 0, -3, -2, -4});
  const auto normalize = [&](const std::string& norm) { return run_ml("Normalizer", {{"norm", norm}}, {x}); };
  expect_close(normalize("MAX"), Tensor::of(Shape{3, 3}, Floats{-2, -4, 1, 0, 0, 0, 1.5f, 1, 2}));
  expect_close(
      normalize("L1"),
      Tensor::of(Shape{3, 3}, Floats{-1 / 3.5f, -2 / 3.5f, 0.5f / 3.5f, 0, 0, 0, -3 / 9.f, -2 / 9.f, -4 / 9.f}), 1e-6);
  const float a = std::sqrt(5.25f), b = std::sqrt(29.f);
  expect_close(normalize("L2"),
               Tensor::of(Shape{3, 3}, Floats{-1 / a, -2 / a, 0.5f / a, 0, 0, 0, -3 / b, -2 / b, -4 / b}), 1e-6);
  expect_close(run_ml("Normalizer", {}, {Tensor::of<int64_t>({1, 4})}), Tensor::of<float>({0.25f, 1}));
  expect_error(ErrorKind::kModel, "norm must be MAX, L1 or L2, got 'L3'", [&] { normalize("L3"); });
}

TEST(Normalizer, TakesRowsOfAnyWidth) {
  for (int64_t width = 1; width < 12; ++width) {
    const Tensor x = random_tensor({5, width}, unsigned(width));
    const Tensor y[] = {run_ml("Normalizer", {{"norm", std::string("MAX")}}, {x}),
                        run_ml("Normalizer", {{"norm", std::string("L1")}}, {x}),
                        run_ml("Normalizer", {{"norm", std::string("L2")}}, {x})};
    for (int64_t r = 0; r < 5; ++r) {
      const float* row = x.data<float>() + r * width;
      double largest = double(row[0]), sum = 0, square = 0;
      for (int64_t i = 0; i < width; ++i) {
        largest = std::max(largest, double(row[i]));
        sum += std::abs(double(row[i]));
        square += double(row[i]) * double(row[i]);
      }
      const double norms[] = {largest, sum, std::sqrt(square)};
      for (size_t k = 0; k < 3; ++k) {
        for (int64_t i = 0; i < width; ++i) {
          EXPECT_FLOAT_EQ(y[k].data<float>()[r * width + i], float(double(row[i]) / norms[k])) << width << " " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace linnet::testing
