#pragma once

#include <functional>

#include "kernels/transpose.h"
#include "tensor/counted_vector.h"
#include "traditionalml/feature_rows.h"

namespace linnet {

/// The attributes coefficients [scores, C] and intercepts [scores] of LinearClassifier and LinearRegressor.
class LinearModel {
 public:
  /// Throws Error(kModel) where the lengths do not fit `scores`.
  LinearModel(const NodeSpec& node, int64_t scores);

  int64_t scores() const { return std::ssize(intercepts_); }
  int64_t features() const { return std::ssize(coefficients_) / scores(); }
  const CountedVector<float>& coefficients() const { return coefficients_; }
  const CountedVector<float>& intercepts() const { return intercepts_; }
  /// Checks that X has no more features than there are coefficients for each score. Where it has fewer, the
  /// coefficients of a score lie as many apart as there are features, and the last ones are not read, as in ONNX
  /// Runtime.
  void check(const Fact& x) const;
  /// The model of rows of so many features.
  LinearModel of_width(int64_t features) const;

 private:
  CountedVector<float> coefficients_, intercepts_;
};

/// Scores of the rows of X: X * coefficients^T + intercepts, in float64.
class LinearScores {
 public:
  /// Rows whose scores are handed on together.
  static constexpr int kMostRows = 32;

  /// Does something with the scores of `count` <= kMostRows rows from `row` on, [count, scores].
  using Finish = std::function<void(int64_t row, int count, double* scores)>;

  LinearScores(const CompileInput& in, const LinearModel& model);

  size_t scratch_bytes() const;
  /// All rows of input 0, divided over the workers.
  void for_each(KernelContext& context, const Finish& finish) const;

 private:
  void for_each_panel(KernelContext& context, const Finish& finish) const;

  RowBlocks rows_;
  Rows shape_;
  DotKernels dots_;
  decltype(TransposeKernels::bits32) transpose_;
  CountedVector<double> intercepts_;
  DotVectors vectors_;                  ///< the coefficients, or none, where
  CountedVector<double> coefficients_;  ///< they are few: then rows of float32 are the vectors of the kernel
};

}  // namespace linnet
