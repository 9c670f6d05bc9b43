#pragma once

#include "kernels/dots.h"
#include "partition/parallel.h"
#include "traditionalml/rows.h"

namespace linnet {

/// The attributes coefficients [scores, C] and intercepts [scores] of LinearClassifier and LinearRegressor.
class LinearModel {
 public:
  /// Throws Error(kModel) where the lengths do not fit `scores`.
  LinearModel(const NodeSpec& node, int64_t scores);

  int64_t scores() const { return scores_; }
  /// Checks that X has as many features as there are coefficients for each score.
  void check(const Fact& x) const;
  /// scores = coefficients * x + intercepts for one row.
  void compute(const DotKernels& kernels, const double* x, double* scores) const;

 private:
  std::vector<float> coefficients_, intercepts_;
  int64_t scores_, width_;
};

}  // namespace linnet
