#include "traditionalml/linear.h"

#include "infer/infer.h"
#include "partition/checkpoints.h"

namespace linnet {

LinearModel::LinearModel(const NodeSpec& node, int64_t scores)
    : coefficients_(node.attr_or("coefficients", std::vector<float>{})),
      intercepts_(node.attr_or("intercepts", std::vector<float>{})),
      scores_(scores) {
  const auto count = int64_t(coefficients_.size());
  if (scores_ < 1) throw Error(ErrorKind::kModel, str("there must be at least one score, got ", scores_));
  if (count == 0 || count % scores_ != 0) {
    throw Error(ErrorKind::kModel, str("coefficients must be a multiple of ", scores_, " values, got ", count));
  }
  width_ = count / scores_;
  if (intercepts_.empty()) intercepts_.resize(size_t(scores_));
  require_length("intercepts", intercepts_.size(), scores_);
}

void LinearModel::check(const Fact& x) const {
  require_rows(x);
  if (x.has_rank()) merge_dim(x.dims->back(), width_, "features and coefficients of each score");
}

void LinearModel::compute(const DotKernels& kernels, const double* x, double* scores) const {
  Checkpoints checkpoints;
  checkpoints.in_parts(scores_, 8 + width_, [&](int64_t i, int64_t end) {
    kernels.products(x, coefficients_.data() + i * width_, end - i, width_, scores + i);
    for (; i < end; ++i) scores[i] += double(intercepts_[size_t(i)]);
  });
}

}  // namespace linnet
