#pragma once

#include "tensor/counted_vector.h"
#include "traditionalml/class_labels.h"
#include "traditionalml/post_transform.h"
#include "traditionalml/svm.h"

namespace linnet {

/// SVMClassifier with support vectors. There is one decision for each pair of classes (i, j), i < j, which votes for
/// one of them.
/// Source: https://www.csie.ntu.edu.tw/~cjlin/papers/libsvm.pdf, sections 7 and 8
class SvmVotes {
 public:
  /// Throws Error(kModel) for attributes whose lengths do not match the number of classes.
  SvmVotes(const NodeSpec& node, int64_t classes);

  int64_t width() const { return vectors_.width(); }
  /// The number of scores of a row: one for each class with probabilities or two classes, else one for each pair.
  int64_t scores() const { return probabilities() || classes_ == 2 ? classes_ : pairs(); }
  const SupportVectors& support_vectors() const { return vectors_; }
  /// The numbers of scratch that compute() needs: decisions, pairwise probabilities and one more vector.
  int64_t scratch() const;
  /// Computes a row from its kernel values. Writes the scores after the transform and returns the class with the most
  /// votes, the first one among equals.
  int64_t compute(const double* kernel_values, PostTransform transform, double* scores, double* scratch) const;

 private:
  int64_t vectors() const { return vectors_.count(); }
  int64_t pairs() const { return classes_ * (classes_ - 1) / 2; }
  bool probabilities() const { return !prob_a_.empty(); }
  double decision(int64_t i, int64_t j, const double* kernel_values) const;
  void pairwise_probabilities(const double* decisions, double* r) const;

  int64_t classes_;
  CountedVector<int64_t> first_;  // The first vector of each class, followed by the total number.
  SupportVectors vectors_;
  CountedVector<float> coefficients_;  // [classes - 1, vectors]
  CountedVector<float> rho_, prob_a_, prob_b_;
};

}  // namespace linnet
