#pragma once

#include <functional>

#include "tensor/counted_vector.h"
#include "traditionalml/feature_rows.h"

namespace linnet {

/// The attributes coefficients [scores, C] and intercepts [scores] of LinearClassifier and LinearRegressor.
class LinearModel {
 public:
  /// Throws Error(kModel) if the lengths do not match `scores`.
  LinearModel(const NodeSpec& node, int64_t scores);

  int64_t scores() const { return std::ssize(intercepts_); }
  int64_t features() const { return std::ssize(coefficients_) / scores(); }
  const CountedVector<float>& coefficients() const { return coefficients_; }
  const CountedVector<float>& intercepts() const { return intercepts_; }
  /// Checks that X has no more features than there are coefficients for each score. If it has fewer, the coefficients
  /// of consecutive scores are as far apart as there are features, and the last ones are unused, as in ONNX Runtime.
  void check(const Fact& x) const;
  /// Returns the model for rows of this many features.
  LinearModel of_width(int64_t features) const;

 private:
  CountedVector<float> coefficients_, intercepts_;
};

/// Computes the scores of the rows of X: X * coefficients^T + intercepts, in float64.
class LinearScores {
 public:
  /// The number of rows whose scores are passed on together.
  static constexpr int kMostRows = 32;

  /// Processes the scores of `count` <= kMostRows rows from `row` on, [count, scores].
  using Finish = std::function<void(int64_t row, int count, double* scores)>;

  LinearScores(const CompileInput& in, const LinearModel& model);

  size_t scratch_bytes() const;
  /// Processes all rows of input 0, divided over the workers.
  void for_each(KernelContext& context, const Finish& finish) const;

 private:
  void for_each_float_row(KernelContext& context, const Finish& finish) const;

  RowBlocks rows_;
  Rows shape_;
  DotKernels dots_;
  CountedVector<double> intercepts_;
  DotVectors vectors_;  ///< The coefficients; empty if coefficients_ is used.
  /// The coefficients in the form of DotKernels::FewVectors, if there are few and rows are float32; else empty.
  CountedVector<double> coefficients_;
};

}  // namespace linnet
