#include "traditionalml/post_transform.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "traditionalml/feature_rows.h"

namespace linnet {
namespace {

constexpr const char* kNames[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

/// Returns the inverse of the normal distribution at p in (0, 1/2]. An approximation with a relative error of 0.2 % is
/// refined by Newton's steps on the logarithms, each of which doubles the number of correct digits for any p.
/// Source: S. Winitzki, "A handy approximation for the error function and its inverse", 2008.
double lower_quantile(double p) {
  const double a = 0.147, log = std::log(4 * p * (1 - p)), half = 2 / (std::numbers::pi * a) + log / 2;
  double x = -std::numbers::sqrt2 * std::sqrt(std::sqrt(half * half - log / a) - half);
  for (int step = 0; step < 3; ++step) {
    const double below = std::erfc(-x / std::numbers::sqrt2) / 2;
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    x -= (std::log(below) - std::log(p)) * below / density;
  }
  return x;
}

void softmax(std::span<double> scores, bool skip_zeros) {
  const auto skipped = [&](double score) { return skip_zeros && std::abs(score) <= 1e-7; };
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) {
    score = skipped(score) ? 0 : std::exp(score - most);
    sum += score;
  }
  if (sum == 0) return;
  for (double& score : scores) score /= sum;
}

void softmax_rows(double* scores, int64_t rows, int64_t count, NumberFunction exp) {
  for (int64_t r = 0; r < rows; ++r) {
    double* row = scores + r * count;
    const double most = *std::max_element(row, row + count);
    for (int64_t i = 0; i < count; ++i) row[i] -= most;
  }
  const void* x = scores;
  exp(&x, scores, rows * count);
  for (int64_t r = 0; r < rows; ++r) {
    double* row = scores + r * count;
    const double sum = std::accumulate(row, row + count, 0.0);
    for (int64_t i = 0; i < count; ++i) row[i] /= sum;
  }
}

}  // namespace

PostTransform post_transform_of(const NodeSpec& node) {
  const std::string name = node.attr_or("post_transform", "NONE");
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) {
    throw_value("post_transform", "'" + name + "'", "NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
  }
  return PostTransform(found - std::begin(kNames));
}

PostTransform post_transform_of(int64_t number) {
  if (number < 0 || number > int64_t(PostTransform::kProbit)) {
    throw_value("post_transform", std::to_string(number), "in [0,4]");
  }
  return PostTransform(number);
}

double logistic(double x) {
  const double y = 1 / (1 + std::exp(-std::abs(x)));
  return x < 0 ? 1 - y : y;
}

double probit(double x) {
  if (!(x >= 0 && x <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || x == 1) return std::copysign(std::numeric_limits<double>::infinity(), x - 0.5);
  return x <= 0.5 ? lower_quantile(x) : -lower_quantile(1 - x);
}

void apply(PostTransform transform, std::span<double> scores) {
  switch (transform) {
    case PostTransform::kNone:
      return;
    case PostTransform::kSoftmax:
      return softmax(scores, false);
    case PostTransform::kSoftmaxZero:
      return softmax(scores, true);
    case PostTransform::kLogistic:
      for (double& score : scores) score = logistic(score);
      return;
    case PostTransform::kProbit:
      for (double& score : scores) score = probit(score);
  }
}

void apply_to_rows(PostTransform transform, double* scores, int64_t rows, int64_t count, NumberFunction exp) {
  if (transform == PostTransform::kNone) return;
  if (transform == PostTransform::kSoftmax) return softmax_rows(scores, rows, count, exp);
  for (int64_t r = 0; r < rows; ++r) apply(transform, {scores + r * count, size_t(count)});
}

void apply_binary(PostTransform transform, double score, bool mixed, std::span<double, 2> scores) {
  scores[0] = mixed ? -score : 1 - score;
  scores[1] = score;
  if (transform == PostTransform::kLogistic) {
    scores[0] = logistic(-score);
    scores[1] = logistic(score);
  } else if (transform == PostTransform::kProbit) {
    scores[0] = -probit(score);
    scores[1] = probit(score);
  }
}

}  // namespace linnet
