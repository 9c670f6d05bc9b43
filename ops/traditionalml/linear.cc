#include "traditionalml/linear.h"

#include "infer/infer.h"

namespace linnet {

namespace {

DotVectors coefficients_of(const NodeSpec& node, int64_t scores) {
  const auto values = node.attr_or("coefficients", std::vector<float>{});
  const auto count = int64_t(values.size());
  if (scores < 1) throw Error(ErrorKind::kModel, str("there must be at least one score, got ", scores));
  if (count == 0 || count % scores != 0) {
    throw Error(ErrorKind::kModel, str("coefficients must be a multiple of ", scores, " values, got ", count));
  }
  return {values, scores};
}

}  // namespace

LinearModel::LinearModel(const NodeSpec& node, int64_t scores)
    : coefficients_(coefficients_of(node, scores)), intercepts_(node.attr_or("intercepts", std::vector<float>{})) {
  if (intercepts_.empty()) intercepts_.resize(size_t(scores));
  require_length("intercepts", intercepts_.size(), scores);
}

void LinearModel::check(const Fact& x) const {
  require_rows(x);
  if (x.has_rank()) merge_dim(x.dims->back(), coefficients_.width(), "features and coefficients of each score");
}

void LinearModel::compute(const DotKernels& kernels, const double* x, int rows, double* scores) const {
  coefficients_.sums(kernels.products, x, rows, scores);
  for (int r = 0; r < rows; ++r) {
    for (const float intercept : intercepts_) *scores++ += double(intercept);
  }
}

}  // namespace linnet
