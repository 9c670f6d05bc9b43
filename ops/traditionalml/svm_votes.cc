#include "traditionalml/svm_votes.h"

#include <algorithm>
#include <cmath>

#include "partition/checkpoints.h"
#include "tensor/counted_vector.h"
#include "traditionalml/attribute_list.h"

namespace linnet {
namespace {

/// Returns the first vector of each class, followed by the total number.
CountedVector<int64_t> first_vectors(const NodeSpec& node, int64_t classes) {
  const auto& counts = node.attr<std::vector<int64_t>>("vectors_per_class");
  require_length("vectors_per_class", counts.size(), classes);
  CountedVector<int64_t> first{0};
  for (const int64_t count : counts) {
    if (count < 0) throw_value("vectors_per_class", std::to_string(count), "non-negative");
    first.push_back(checked_add(first.back(), count));
  }
  return first;
}

/// Computes the class probabilities p [n] that fit the pairwise ones r [n, n] best. The matrix Q is computed from r as
/// needed. `product`: scratch for Q * p.
/// Source: the second method of T.-F. Wu, C.-J. Lin, R. C. Weng, "Probability Estimates for Multi-class Classification
/// by Pairwise Coupling", 2004, section 4.
void couple(const double* r, int64_t n, double* p, double* product) {
  const auto q = [&](int64_t i, int64_t j) {
    if (i != j) return -r[j * n + i] * r[i * n + j];
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += k == i ? 0 : r[k * n + i] * r[k * n + i];
    return sum;
  };
  Checkpoints checkpoints;
  std::fill_n(p, n, 1 / double(n));
  for (int iteration = 0; iteration < 100; ++iteration) {
    double total = 0, worst = 0;
    for (int64_t i = 0; i < n; ++i) {
      product[i] = 0;
      for (int64_t j = 0; j < n; ++j) product[i] += q(i, j) * p[j];
      total += p[i] * product[i];
      checkpoints.add(4 * n);
    }
    for (int64_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(product[i] - total));
    if (worst < 0.005 / double(n)) return;
    for (int64_t i = 0; i < n; ++i) {
      const double step = (total - product[i]) / q(i, i), norm = 1 + step;
      p[i] += step;
      total = (total + step * (step * q(i, i) + 2 * product[i])) / (norm * norm);
      for (int64_t j = 0; j < n; ++j) {
        product[j] = (product[j] + step * q(i, j)) / norm;
        p[j] /= norm;
      }
      checkpoints.add(4 * n);
    }
  }
}

}  // namespace

SvmVotes::SvmVotes(const NodeSpec& node, int64_t classes)
    : classes_(classes),
      first_(first_vectors(node, classes)),
      vectors_(node, first_.back()),
      coefficients_(attribute_list<float>(node, "coefficients")),
      rho_(attribute_list<float>(node, "rho")),
      prob_a_(attribute_list<float>(node, "prob_a")),
      prob_b_(attribute_list<float>(node, "prob_b")) {
  if (classes_ < 2) throw_value("the class labels", std::to_string(classes_), "2 or more with support vectors");
  require_length("coefficients", coefficients_.size(), checked_mul(classes_ - 1, vectors_.count()));
  require_length("rho", rho_.size(), pairs());
  require_length("prob_b", prob_b_.size(), int64_t(prob_a_.size()));
  if (probabilities()) require_length("prob_a", prob_a_.size(), pairs());
}

int64_t SvmVotes::scratch() const { return checked_add(pairs(), checked_mul(classes_, classes_ + 2)); }

double SvmVotes::decision(int64_t i, int64_t j, const double* kernel_values) const {
  const auto part = [&](int64_t row, int64_t of) {
    const int64_t begin = first_[size_t(of)], n = first_[size_t(of) + 1] - begin;
    return dot(kernel_values + begin, coefficients_.data() + row * vectors() + begin, n);
  };
  return part(j - 1, i) + part(i, j);
}

void SvmVotes::pairwise_probabilities(const double* decisions, double* r) const {
  size_t pair = 0;
  for (int64_t i = 0; i < classes_; ++i) {
    for (int64_t j = i + 1; j < classes_; ++j, ++pair) {
      const double p = 1 - logistic(decisions[pair] * double(prob_a_[pair]) + double(prob_b_[pair]));
      r[i * classes_ + j] = std::clamp(p, 1e-7, 1 - 1e-7);
      r[j * classes_ + i] = 1 - r[i * classes_ + j];
    }
  }
}

int64_t SvmVotes::compute(const double* kernel_values, PostTransform transform, double* scores, double* scratch) const {
  double* decisions = scratch;
  double* votes = decisions + pairs();
  double* product = votes + classes_;
  std::fill_n(votes, classes_, 0.0);
  Checkpoints checkpoints;
  int64_t pair = 0;
  for (int64_t i = 0; i < classes_; ++i) {
    for (int64_t j = i + 1; j < classes_; ++j, ++pair) {
      checkpoints.add(16 + first_[size_t(i) + 1] - first_[size_t(i)] + first_[size_t(j) + 1] - first_[size_t(j)]);
      decisions[pair] = decision(i, j, kernel_values) + double(rho_[size_t(pair)]);
      ++votes[decisions[pair] > 0 ? i : j];
    }
  }
  if (!probabilities() && classes_ == 2) {
    apply_binary(transform, decisions[0], transform == PostTransform::kNone, std::span<double, 2>(scores, 2));
    return decisions[0] > 0 ? 0 : 1;
  }
  if (probabilities()) {
    pairwise_probabilities(decisions, product + classes_);
    couple(product + classes_, classes_, scores, product);
  } else {
    std::copy_n(decisions, pairs(), scores);
  }
  apply(transform, {scores, size_t(this->scores())});
  return std::max_element(votes, votes + classes_) - votes;
}

}  // namespace linnet
