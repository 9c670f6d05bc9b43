#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/run_op.h"

namespace linnet {
namespace {

using testing::expect_close;
using testing::expect_error;
using testing::run_op;

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
  const testing::OpCase op{"NegativeLogLikelihoodLoss", 13, {{"ignore_index", int64_t{-100}}}};
  expect_close(run_op(op, {log_probabilities(), ignored})[0], Tensor::scalar(0.25f), 1e-6);
}

TEST(NegativeLogLikelihoodLoss, RejectsLabelsThatAreNoClass) {
  expect_error(ErrorKind::kShape, "labels must lie in [0, 3), got 3", [] {
    loss("sum", {log_probabilities(), Tensor::of<int64_t>({2}, {0, 3})});
  });
}

TEST(SoftmaxCrossEntropyLoss, IsTheLossOfTheLogSoftmax) {
  const Tensor x = testing::random_tensor({2, 5, 3});
  const Tensor y = Tensor::of<int64_t>({2, 3}, {0, 4, 2, 1, 1, 3});
  const auto got = run_op({"SoftmaxCrossEntropyLoss", 13, {{"reduction", std::string("none")}}}, {x, y}, 2);
  const Tensor log_prob = run_op({"LogSoftmax", 13, {{"axis", int64_t{1}}}}, {x})[0];
  expect_close(got[1], log_prob, 1e-6);
  expect_close(got[0], loss("none", {log_prob, y}), 1e-6);
}

}  // namespace
}  // namespace linnet
