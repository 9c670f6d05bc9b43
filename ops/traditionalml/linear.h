#pragma once

#include "traditionalml/rows.h"

namespace linnet {

/// The attributes coefficients [scores, C] and intercepts [scores] of LinearClassifier and LinearRegressor.
class LinearModel {
 public:
  /// Throws Error(kModel) where the lengths do not fit `scores`.
  LinearModel(const NodeSpec& node, int64_t scores);

  int64_t scores() const { return coefficients_.count(); }
  /// Checks that X has as many features as there are coefficients for each score.
  void check(const Fact& x) const;
  /// scores [rows, scores] = x * coefficients^T + intercepts, for at most DotKernels::kRows rows.
  void compute(const DotKernels& kernels, const double* x, int rows, double* scores) const;

 private:
  DotVectors coefficients_;
  std::vector<float> intercepts_;
};

}  // namespace linnet
