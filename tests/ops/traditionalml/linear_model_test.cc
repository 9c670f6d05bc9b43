#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ops/traditionalml/rows.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;

Tensor regress_linearly(const std::string& transform, int64_t targets) {
  Attributes attributes{{"targets", targets}, {"post_transform", transform}};
  attributes["coefficients"] = targets == 1 ? Floats{0.1f, 0.2f} : Floats{0.1f, 0.2f, -0.1f, 0.3f};
  attributes["intercepts"] = targets == 1 ? Floats{0.05f} : Floats{0.05f, -0.04f};
  return run_op({"LinearRegressor", 1, attributes, "ai.onnx.ml"}, {kRows})[0];
}

std::vector<Tensor> classify_linearly(Attributes attributes, const Tensor& x = kRows) {
  return run_op({"LinearClassifier", 1, std::move(attributes), "ai.onnx.ml"}, {x}, 2);
}

TEST(LinearRegressor, AppliesEveryTransform) {
  const auto pairs = [](const Floats& values) { return Tensor::of(Shape{3, 2}, values); };
  expect_close(regress_linearly("NONE", 2), pairs({0.55f, 0.46f, -0.15f, 0.41f, 0.05f, -0.04f}), 1e-6);
  expect_close(regress_linearly("SOFTMAX", 2),
               pairs({0.522485f, 0.477515f, 0.363547f, 0.636453f, 0.522485f, 0.477515f}), 1e-6);
  expect_close(regress_linearly("LOGISTIC", 2),
               pairs({0.634136f, 0.613014f, 0.46257f, 0.601088f, 0.512497f, 0.490001f}), 1e-6);
  const float nan = NAN;
  expect_close(regress_linearly("PROBIT", 2), pairs({0.1256613f, -0.1004337f, nan, -0.2275450f, -1.6448536f, nan}),
               1e-6);
  expect_close(regress_linearly("NONE", 1), Tensor::of(Shape{3, 1}, Floats{0.55f, -0.15f, 0.05f}), 1e-6);
  expect_close(regress_linearly("LOGISTIC", 1), Tensor::of(Shape{3, 1}, Floats{0.634136f, 0.46257f, 0.512497f}), 1e-6);
}

/// Tests that the normal distribution has each share of [0, 1] below the quantile of that share.
TEST(LinearRegressor, InvertsTheNormalDistribution) {
  const OpCase op{
      "LinearRegressor", 1, {{"coefficients", Floats{1}}, {"post_transform", std::string("PROBIT")}}, "ai.onnx.ml"};
  const std::vector<double> shares{1e-300, 1e-30, 1e-6, 0.02, 0.25, 0.5, 0.75, 0.999, 1 - 0x1p-24};
  const Tensor y = run_op(op, {Tensor::of(Shape{int64_t(shares.size()), 1}, shares)})[0];
  for (size_t i = 0; i < shares.size(); ++i) {
    const double x = y.data<float>()[i], density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    // The rounding of the quantile to float32 changes the share by at most this.
    const double rounding = density * std::abs(x) * 0x1p-23 + 1e-15 * shares[i];
    EXPECT_NEAR(std::erfc(-x / std::sqrt(2.0)) / 2, shares[i], rounding) << shares[i];
  }
  expect_close(run_op(op, {Tensor::of(Shape{4, 1}, std::vector<double>{0, 1, -0.5, NAN})})[0],
               Tensor::of(Shape{4, 1}, Floats{-INFINITY, INFINITY, NAN, NAN}));
}

TEST(LinearRegressor, LeavesZerosOutOfSoftmaxZero) {
  const OpCase op{"LinearRegressor",
                  1,
                  {{"targets", int64_t{3}},
                   {"coefficients", Floats{0, 0, 0}},
                   {"intercepts", Floats{0, 1, 2}},
                   {"post_transform", std::string("SOFTMAX_ZERO")}},
                  "ai.onnx.ml"};
  expect_close(run_op(op, {Tensor::of<int32_t>({5})})[0], Tensor::of(Shape{1, 3}, Floats{0, 0.268941f, 0.731059f}),
               1e-6);
}

/// A row may have fewer features than there are coefficients, or no features.
TEST(LinearRegressor, GivesRowsWithoutFeaturesTheIntercepts) {
  const OpCase op{"LinearRegressor",
                  1,
                  {{"targets", int64_t{2}}, {"coefficients", Floats{1, 2, 3, 4}}, {"intercepts", Floats{0.5f, -1}}},
                  "ai.onnx.ml"};
  expect_close(run_op(op, {Tensor::of(Shape{3, 0}, Floats{})})[0],
               Tensor::of(Shape{3, 2}, Floats{0.5f, -1, 0.5f, -1, 0.5f, -1}));
}

/// Tests rows and scores that do not fill blocks; in the second case, so many that they are computed in parts.
TEST(LinearRegressor, AddsUpEachScoreOfEachRow) {
  for (const auto& [rows, targets, width] :
       std::vector<std::array<int64_t, 3>>{{7, 13, 5}, {5, 700, 2048}, {4, 8, 1}}) {
    const Tensor x = random_tensor({rows, width}, 1), weights = random_tensor({targets, width}, 2);
    Tensor want(DType::kFloat32, {rows, targets});
    for (int64_t i = 0; i < want.size(); ++i) {
      double sum = 0;
      for (int64_t k = 0; k < width; ++k) {
        sum +=
            double(x.data<float>()[i / targets * width + k]) * double(weights.data<float>()[i % targets * width + k]);
      }
      want.data<float>()[i] = float(sum);
    }
    const OpCase op{"LinearRegressor",
                    1,
                    {{"targets", targets},
                     {"coefficients", Floats(weights.values<float>().begin(), weights.values<float>().end())}},
                    "ai.onnx.ml"};
    for (const Isa isa : supported_isas()) expect_close(run_op(op, {x}, 1, {}, isa)[0], want, 1e-4);
  }
}

TEST(LinearClassifier, TakesTheHighestScore) {
  const auto result = classify_linearly({{"coefficients", Floats{0.1f, 0.2f, -0.1f, 0.3f}},
                                         {"intercepts", Floats{0.05f, -0.04f}},
                                         {"classlabels_strings", Strings{"no", "yes"}}});
  expect_close(result[0], Tensor::of<std::string>({"no", "yes", "no"}));
  expect_close(result[1], Tensor::of(Shape{3, 2}, Floats{0.55f, 0.46f, -0.15f, 0.41f, 0.05f, -0.04f}), 1e-6);
}

/// Tests rows that do not fill blocks, with equal scores. The scores are the factors of the first coefficients.
TEST(LinearClassifier, TakesTheFirstOfTheHighestScoresOfEachRow) {
  const int64_t rows = 75;
  Tensor x(DType::kFloat32, {rows, 3}), shares(DType::kFloat32, {rows, 3});
  Ints labels;
  for (int64_t r = 0; r < rows; ++r) {
    float* of_row = x.data<float>() + r * 3;
    double sum = 0;
    for (int64_t c = 0; c < 3; ++c) of_row[c] = float((r * 7 + c * c * r) % 4);
    for (int64_t c = 0; c < 3; ++c) sum += std::exp(double(of_row[c]));
    for (int64_t c = 0; c < 3; ++c) shares.data<float>()[r * 3 + c] = float(std::exp(double(of_row[c])) / sum);
    labels.push_back(10 + (std::max_element(of_row, of_row + 3) - of_row));
  }
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const auto result = classify_linearly({{"coefficients", Floats{1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                           {"classlabels_ints", Ints{10, 11, 12}},
                                           {"post_transform", std::string("SOFTMAX")}},
                                          cast_to(x, dtype));
    expect_close(result[0], Tensor::of(labels));
    expect_close(result[1], shares, 1e-6, 1e-6);
  }
}

TEST(LinearClassifier, CompletesTheScoreOfTheSecondClass) {
  Attributes attributes{
      {"coefficients", Floats{0.1f, 0.2f}}, {"intercepts", Floats{0.05f}}, {"classlabels_ints", Ints{4, 9}}};
  const auto plain = classify_linearly(attributes);
  expect_close(plain[0], Tensor::of<int64_t>({9, 4, 9}));
  expect_close(plain[1], Tensor::of(Shape{3, 2}, Floats{0.45f, 0.55f, 1.15f, -0.15f, 0.95f, 0.05f}), 1e-6);
  attributes["post_transform"] = std::string("LOGISTIC");
  expect_close(classify_linearly(attributes)[1],
               Tensor::of(Shape{3, 2}, Floats{0.365864f, 0.634136f, 0.53743f, 0.46257f, 0.487503f, 0.512497f}), 1e-6);
}

TEST(LinearClassifier, TakesEveryNumber) {
  const Attributes attributes{{"coefficients", Floats{1, 0, 0, 1}}, {"classlabels_ints", Ints{1, 2}}};
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64}) {
    const auto result = classify_linearly(attributes, cast_to(Tensor::of(Shape{2, 2}, Floats{3, 1, -1, 2}), dtype));
    expect_close(result[0], Tensor::of<int64_t>({1, 2}));
    expect_close(result[1], Tensor::of(Shape{2, 2}, Floats{3, 1, -1, 2}));
  }
}

TEST(LinearClassifier, RefusesAttributesThatDoNotFit) {
  const Floats four{1, 2, 3, 4};
  expect_error(ErrorKind::kModel, "intercepts must have 2 values, got 3", [&] {
    classify_linearly({{"coefficients", four}, {"intercepts", Floats{1, 2, 3}}, {"classlabels_ints", Ints{1, 2}}});
  });
  expect_error(ErrorKind::kModel, "coefficients must be a multiple of 3 values, got 4", [&] {
    classify_linearly({{"coefficients", four}, {"classlabels_ints", Ints{1, 2, 3}}});
  });
  expect_error(ErrorKind::kModel, "exactly one of classlabels_ints and classlabels_strings", [&] {
    classify_linearly({{"coefficients", four}});
  });
  expect_error(ErrorKind::kModel, "post_transform must be NONE", [&] {
    classify_linearly(
        {{"coefficients", four}, {"classlabels_ints", Ints{1, 2}}, {"post_transform", std::string("LOG")}});
  });
  expect_error(ErrorKind::kShape, "2 coefficients for each score, and 3 features", [&] {
    classify_linearly({{"coefficients", four}, {"classlabels_ints", Ints{1, 2}}}, Tensor::of<float>({1, 2, 3}));
  });
  expect_error(ErrorKind::kShape, "X must have rank 1 or 2", [&] {
    classify_linearly({{"coefficients", four}, {"classlabels_ints", Ints{1, 2}}}, Tensor(DType::kFloat32, {1, 1, 2}));
  });
}

/// Tests few and many scores of rows that do and do not fill the kernels' blocks. In double precision, the bits are the
/// same for any number of workers.
TEST(LinearRegressor, ScoresEveryRow) {
  for (const int64_t rows : {1, 7, 8, 37, 3000}) {
    for (const int64_t targets : {1, 2, 3, 4, 5, 9}) {
      const int64_t width = 13;
      const Tensor numbers = random_uniform({rows, width}, -9, 9),
                   drawn = random_uniform({targets, width + 1}, -1, 1, 3);
      Floats coefficients, intercepts;
      for (int64_t t = 0; t < targets; ++t) {
        const float* row = drawn.data<float>() + t * (width + 1);
        coefficients.insert(coefficients.end(), row, row + width);
        intercepts.push_back(row[width]);
      }
      const OpCase op{"LinearRegressor",
                      1,
                      {{"targets", targets}, {"coefficients", coefficients}, {"intercepts", intercepts}},
                      "ai.onnx.ml"};
      for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt64}) {
        const Tensor x = cast_to(numbers, dtype), wide = cast_to(x, DType::kFloat64);
        const Tensor y = run_op(op, {x})[0];
        for (int64_t i = 0; i < y.size(); ++i) {
          double want = intercepts[size_t(i % targets)];
          for (int64_t k = 0; k < width; ++k) {
            want +=
                wide.data<double>()[i / targets * width + k] * double(coefficients[size_t(i % targets * width + k)]);
          }
          ASSERT_NEAR(y.data<float>()[i], want, 1e-6 + 1e-7 * std::abs(want)) << rows << " " << targets << " " << i;
        }
        expect_close(run_op(op, {x}, 1, {}, Isa::kAuto, 1)[0], y);
      }
    }
  }
}

}  // namespace
}  // namespace linnet::testing
