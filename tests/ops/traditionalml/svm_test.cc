#include <gtest/gtest.h>

#include <cmath>

#include "ops/traditionalml/rows.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

Attributes with_kernel(const std::string& type, const Floats& params, Attributes attributes) {
  attributes["kernel_type"] = type;
  attributes["kernel_params"] = params;
  return attributes;
}

Tensor regress_by_svm(const std::string& kernel, Attributes more = {}) {
  more.merge(Attributes{{"coefficients", Floats{0.5f, 0.7f, -0.4f}},
                        {"rho", Floats{0.3f}},
                        {"n_supports", int64_t{3}},
                        {"support_vectors", Floats{1, 0, 0.5f, 1, -1, -1}}});
  return run_op({"SVMRegressor", 1, with_kernel(kernel, {0.5f, 0.1f, 3}, more), "ai.onnx.ml"}, {kRows})[0];
}

/// Computes the definition for the attributes of regress_by_svm().
double svm_reference(const std::string& kernel, double x, double y) {
  const double vectors[][2] = {{1, 0}, {0.5, 1}, {-1, -1}}, coefficients[] = {0.5, 0.7, -0.4};
  double sum = 0.3;
  for (int i = 0; i < 3; ++i) {
    const double product = x * vectors[i][0] + y * vectors[i][1];
    const double distance = std::hypot(x - vectors[i][0], y - vectors[i][1]);
    double value = product;
    if (kernel == "POLY") value = std::pow(0.5 * product + 0.1, 3);
    if (kernel == "RBF") value = std::exp(-0.5 * distance * distance);
    if (kernel == "SIGMOID") value = std::tanh(0.5 * product + 0.1);
    sum += coefficients[i] * value;
  }
  return sum;
}

TEST(SVMRegressor, SumsEveryKernel) {
  for (const std::string kernel : {"LINEAR", "POLY", "RBF", "SIGMOID"}) {
    Tensor want(DType::kFloat32, {3, 1});
    for (int i = 0; i < 3; ++i) {
      want.data<float>()[i] = float(svm_reference(kernel, kRows.data<float>()[2 * i], kRows.data<float>()[2 * i + 1]));
    }
    expect_close(regress_by_svm(kernel), want, 1e-6, 1e-6);
  }
}

TEST(SVMRegressor, TellsOneClassBySign) {
  expect_close(regress_by_svm("POLY", {{"one_class", int64_t{1}}}), Tensor::of(Shape{3, 1}, Floats{1, -1, 1}));
}

std::vector<Tensor> classify_by_svm(Attributes attributes) {
  return run_op({"SVMClassifier", 1, with_kernel("RBF", {0.5f, 0, 0}, std::move(attributes)), "ai.onnx.ml"}, {kRows},
                2);
}

Attributes two_classes() {
  return {{"coefficients", Floats{0.5f, 0.7f, -0.4f}},
          {"rho", Floats{0.3f}},
          {"vectors_per_class", Ints{2, 1}},
          {"support_vectors", Floats{1, 0, 0.5f, 1, -1, -1}},
          {"classlabels_ints", Ints{5, 6}}};
}

// The values below are those of ONNX Runtime.
TEST(SVMClassifier, DecidesBetweenTwoClasses) {
  Attributes attributes = two_classes();
  const auto plain = classify_by_svm(attributes);
  expect_close(plain[0], Tensor::of<int64_t>({5, 5, 5}));
  expect_close(plain[1], Tensor::of(Shape{3, 2}, Floats{-0.7417f, 0.7417f, -0.2839f, 0.2839f, -0.8308f, 0.8308f}),
               1e-4);
  attributes["post_transform"] = std::string("LOGISTIC");
  expect_close(classify_by_svm(attributes)[1],
               Tensor::of(Shape{3, 2}, Floats{0.3226f, 0.6774f, 0.4295f, 0.5705f, 0.3035f, 0.6965f}), 1e-4);
  attributes["post_transform"] = std::string("SOFTMAX");
  expect_close(classify_by_svm(attributes)[1],
               Tensor::of(Shape{3, 2}, Floats{0.2583f, 0.7417f, 0.7161f, 0.2839f, 0.1692f, 0.8308f}), 1e-4);
}

TEST(SVMClassifier, AddsRhoToADecision) {
  Attributes attributes = two_classes();
  attributes["rho"] = Floats{0.3f - 0.8f};
  const auto y = classify_by_svm(attributes);
  expect_close(y[0], Tensor::of<int64_t>({6, 6, 5}));
  expect_close(y[1], Tensor::of(Shape{3, 2}, Floats{0.0583f, -0.0583f, 0.5161f, -0.5161f, -0.0308f, 0.0308f}), 1e-4);
}

TEST(SVMClassifier, GivesProbabilities) {
  Attributes attributes = two_classes();
  attributes["prob_a"] = Floats{-1};
  attributes["prob_b"] = Floats{0.1f};
  expect_close(classify_by_svm(attributes)[1],
               Tensor::of(Shape{3, 2}, Floats{0.6526f, 0.3474f, 0.5458f, 0.4542f, 0.6713f, 0.3287f}), 1e-4);
}

TEST(SVMClassifier, LetsPairsOfThreeClassesVote) {
  Attributes attributes{{"coefficients", Floats{0.5f, 0.7f, -0.4f, 0.1f, -0.2f, -0.3f}},
                        {"rho", Floats{0.3f, 0.1f, -0.2f}},
                        {"vectors_per_class", Ints{1, 1, 1}},
                        {"support_vectors", Floats{1, 0, 0.5f, 1, -1, -1}},
                        {"classlabels_strings", std::vector<std::string>{"a", "b", "c"}}};
  const auto votes = classify_by_svm(attributes);
  expect_close(votes[0], Tensor::of<std::string>({"a", "a", "a"}));
  expect_close(votes[1],
               Tensor::of(Shape{3, 3},
                          Floats{0.7424f, 0.1129f, -0.3075f, 0.3015f, 0.0825f, -0.2136f, 0.9779f, 0.0135f, -0.4174f}),
               1e-4);
  attributes["prob_a"] = Floats{-1, -1.2f, -0.7f};
  attributes["prob_b"] = Floats{0.1f, 0.2f, -0.1f};
  expect_close(
      classify_by_svm(attributes)[1],
      Tensor::of(Shape{3, 3}, Floats{0.387f, 0.2551f, 0.3578f, 0.3421f, 0.3069f, 0.351f, 0.3873f, 0.2273f, 0.3854f}),
      1e-4);
}

/// If the probability of i against j is e^x_i / (e^x_i + e^x_j), the probabilities of all classes are the softmax of x.
TEST(SVMClassifier, CouplesProbabilitiesOfPairsThatAgree) {
  const int64_t rows = 300, classes = 4;
  const Floats of_unit_vectors{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  // Rows j - 1 and i of the coefficients belong to the pair (i, j).
  const Floats coefficients{1, -1, -1, -1, 1, 1, -1, -1, 1, 1, 1, -1};
  const Attributes attributes{{"kernel_type", std::string("LINEAR")},
                              {"coefficients", coefficients},
                              {"rho", Floats(6)},
                              {"prob_a", Floats(6, -1)},
                              {"prob_b", Floats(6)},
                              {"vectors_per_class", Ints(4, 1)},
                              {"support_vectors", of_unit_vectors},
                              {"classlabels_ints", Ints{0, 1, 2, 3}}};
  const Tensor x = random_uniform({rows, classes}, -4, 4);
  const Tensor y = run_op({"SVMClassifier", 1, attributes, "ai.onnx.ml"}, {x}, 2)[1];
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < classes; ++i) sum += std::exp(double(x.data<float>()[row * classes + i]));
    for (int64_t i = row * classes; i < (row + 1) * classes; ++i) {
      ASSERT_NEAR(y.data<float>()[i], std::exp(double(x.data<float>()[i])) / sum, 0.005) << row;
    }
  }
}

TEST(SVMClassifier, IsLinearWithoutSupportVectors) {
  Attributes attributes{
      {"coefficients", Floats{0.1f, 0.2f, -0.1f, 0.3f}}, {"rho", Floats{0.3f}}, {"classlabels_ints", Ints{5, 6}}};
  const auto mixed = classify_by_svm(attributes);
  expect_close(mixed[0], Tensor::of<int64_t>({6, 6, 6}));
  expect_close(mixed[1], Tensor::of(Shape{3, 2}, Floats{0.8f, 0.8f, 0.1f, 0.75f, 0.3f, 0.3f}), 1e-6);
  attributes["coefficients"] = Floats{0.1f, 0.2f, 0.1f, 0.3f};
  expect_close(classify_by_svm(attributes)[0], Tensor::of<int64_t>({6, 6, 5}));
}

TEST(SVMClassifier, RefusesAttributesThatDoNotFit) {
  const auto refuses = [](const std::string& attribute, const Attribute& value, const std::string& text) {
    Attributes attributes = two_classes();
    attributes[attribute] = value;
    expect_error(ErrorKind::kModel, text, [&] { classify_by_svm(attributes); });
  };
  refuses("coefficients", Floats{1, 2}, "coefficients must have 3 values, got 2");
  refuses("rho", Floats{1, 2}, "rho must have 1 values, got 2");
  refuses("prob_a", Floats{1}, "prob_b must have 1 values, got 0");
  refuses("vectors_per_class", Ints{2, -1}, "vectors_per_class must be non-negative, got -1");
  refuses("vectors_per_class", Ints{2}, "vectors_per_class must have 2 values, got 1");
  refuses("support_vectors", Floats{1, 2, 3, 4}, "support_vectors must be a multiple of 3 values, got 4");
  expect_error(ErrorKind::kModel, "kernel_type must be LINEAR", [] { regress_by_svm("CUBIC"); });
}

}  // namespace
}  // namespace linnet::testing
