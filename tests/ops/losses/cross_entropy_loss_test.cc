#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Tensor& log_probabilities() {
  static const Tensor x = Tensor::of<float>({2, 3}, {-1, -2, -3, -0.5f, -0.25f, -4});
  return x;
}
const Tensor& labels() {
  static const Tensor y = Tensor::of<int64_t>({2}, {2, 1});
  return y;
}
const Tensor& weights() {
  static const Tensor w = Tensor::of<float>({3}, {1, 2, 0.5f});
  return w;
}

Tensor loss(const char* reduction, const std::vector<Tensor>& inputs) {
  return run_op({"NegativeLogLikelihoodLoss", 13, {{"reduction", std::string(reduction)}}}, inputs)[0];
}

TEST(NegativeLogLikelihoodLoss, ReducesAsTold) {
  expect_close(loss("none", {log_probabilities(), labels()}), Tensor::of<float>({2}, {3, 0.25f}), 1e-6);
  expect_close(loss("sum", {log_probabilities(), labels()}), Tensor::scalar(3.25f), 1e-6);
  expect_close(loss("mean", {log_probabilities(), labels()}), Tensor::scalar(1.625f), 1e-6);
  expect_close(loss("mean", {log_probabilities(), labels(), weights()}), Tensor::scalar(2.0f / 2.5f), 1e-6);
}

TEST(NegativeLogLikelihoodLoss, IgnoresTheLabelItIsTold) {
  const Tensor ignored = Tensor::of<int32_t>({2}, {-100, 1});
  const OpCase op{"NegativeLogLikelihoodLoss", 13, {{"ignore_index", int64_t{-100}}}};
  expect_close(run_op(op, {log_probabilities(), ignored})[0], Tensor::scalar(0.25f), 1e-6);
}

TEST(NegativeLogLikelihoodLoss, RejectsLabelsThatAreNoClass) {
  expect_error(ErrorKind::kShape, "labels must be in [0, 3), got 3", [] {
    loss("sum", {log_probabilities(), Tensor::of<int64_t>({2}, {0, 3})});
  });
}

TEST(SoftmaxCrossEntropyLoss, IsTheLossOfTheLogSoftmax) {
  const Tensor x = random_tensor({2, 5, 3});
  const Tensor y = Tensor::of<int64_t>({2, 3}, {0, 4, 2, 1, 1, 3});
  const auto got = run_op({"SoftmaxCrossEntropyLoss", 13, {{"reduction", std::string("none")}}}, {x, y}, 2);
  const Tensor log_prob = run_op({"LogSoftmax", 13, {{"axis", int64_t{1}}}}, {x})[0];
  expect_close(got[1], log_prob, 1e-6);
  expect_close(got[0], loss("none", {log_prob, y}), 1e-6);
}

/// Returns the weighted loss of each position by its definition.
std::vector<double> losses(const Tensor& x, const Tensor& y, const Tensor& w) {
  const int64_t classes = x.dim(1), inner = x.shape().elements(2, x.rank());
  std::vector<double> result;
  for (int64_t i = 0; i < y.size(); ++i) {
    const float* scores = x.data<float>() + i / inner * classes * inner + i % inner;
    double sum = 0;
    for (int64_t c = 0; c < classes; ++c) sum += std::exp(double(scores[c * inner]));
    const int64_t label = y.data<int64_t>()[i];
    result.push_back((std::log(sum) - double(scores[label * inner])) * double(w.data<float>()[label]));
  }
  return result;
}

TEST(SoftmaxCrossEntropyLoss, OfManyPositionsInRowsAndColumns) {
  for (const Shape& shape : {Shape{5000, 70}, Shape{3, 7, 100, 41}, Shape{2, 5000}}) {
    const Tensor x = random_tensor(shape), w = random_uniform({shape[1]}, 0.5f, 2);
    Shape positions{shape[0]};
    for (int d = 2; d < shape.rank(); ++d) positions.push_back(shape[d]);
    const Tensor y = cast_to(random_uniform(positions, 0, float(shape[1]) - 0.01f), DType::kInt64);
    const std::vector<double> want = losses(x, y, w);
    const auto run = [&](const char* reduction, int outputs, int threads) {
      const OpCase op{"SoftmaxCrossEntropyLoss", 13, {{"reduction", std::string(reduction)}}};
      return run_op(op, {x, y, w}, outputs, {}, Isa::kAuto, threads);
    };
    double sum = 0;
    for (const double loss : want) sum += loss;
    for (const int outputs : {1, 2}) {
      const Tensor each = run("none", outputs, 1)[0], total = run("sum", outputs, 1)[0];
      for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(each.data<float>()[i], want[i], 1e-5) << i;
      EXPECT_NEAR(*total.data<float>(), sum, 1e-6 * sum);
      expect_close(run("sum", outputs, 2)[0], total);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
