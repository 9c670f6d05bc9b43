#pragma once

#include "tensor/counted_vector.h"
#include "traditionalml/class_labels.h"
#include "traditionalml/post_transform.h"
#include "traditionalml/svm.h"

namespace linnet {

/// SVMClassifier with support vectors: one decision for each pair of classes (i, j), i < j, which votes for one of
/// them. Source: https://www.csie.ntu.edu.tw/~cjlin/papers/libsvm.pdf, sections 7 and 8
class SvmVotes {
 public:
  /// Throws Error(kModel) for attributes whose lengths do not fit the number of classes.
  SvmVotes(const NodeSpec& node, int64_t classes);

  int64_t width() const { return vectors_.width(); }
  /// Scores of a row: one for each class with probabilities or two classes, else one for each pair.
  int64_t scores() const { return probabilities() || classes_ == 2 ? classes_ : pairs(); }
  const SupportVectors& support_vectors() const { return vectors_; }
  /// Numbers of scratch that compute() needs: decisions, pairwise probabilities and a vector more.
  int64_t scratch() const;
  /// From a row's kernel values: writes the scores after the transform, returns the class with the most votes, the
  /// first of equals.
  int64_t compute(const double* kernel_values, PostTransform transform, double* scores, double* scratch) const;

 private:
  int64_t vectors() const { return vectors_.count(); }
  int64_t pairs() const { return classes_ * (classes_ - 1) / 2; }
  bool probabilities() const { return !prob_a_.empty(); }
  double decision(int64_t i, int64_t j, const double* kernel_values) const;
  void pairwise_probabilities(const double* decisions, double* r) const;

  int64_t classes_;
  CountedVector<int64_t> first_;  // of the vectors of each class; at the end their number
  SupportVectors vectors_;
  CountedVector<float> coefficients_;  // [classes - 1, vectors]
  CountedVector<float> rho_, prob_a_, prob_b_;
};

}  // namespace linnet
