#include "traditionalml/linear_model.h"

#include <algorithm>

#include "infer/infer.h"
#include "kernels/dots.h"
#include "kernels/kernels_for.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "traditionalml/attribute_list.h"

namespace linnet {

LinearModel::LinearModel(const NodeSpec& node, int64_t scores)
    : coefficients_(attribute_list<float>(node, "coefficients")),
      intercepts_(attribute_list<float>(node, "intercepts")) {
  const int64_t count = std::ssize(coefficients_);
  if (scores < 1) throw Error(ErrorKind::kModel, str("there must be at least one score, got ", scores));
  if (count == 0 || count % scores != 0) {
    throw Error(ErrorKind::kModel, str("coefficients must be a multiple of ", scores, " values, got ", count));
  }
  if (intercepts_.empty()) intercepts_.resize(size_t(scores));
  require_length("intercepts", intercepts_.size(), scores);
}

void LinearModel::check(const Fact& x) const {
  require_rows(x);
  if (!x.has_rank() || !x.dims->back().known() || x.dims->back().value() <= features()) return;
  throw Error(ErrorKind::kShape,
              str("there are ", features(), " coefficients for each score, and ", x.dims->back(), " features in ", x));
}

LinearModel LinearModel::of_width(int64_t features) const {
  LinearModel model = *this;
  model.coefficients_.resize(size_t(checked_mul(features, scores())));
  return model;
}

namespace {

/// Returns vectors [count, width] in the form of DotKernels::FewVectors.
CountedVector<double> few_vectors(std::span<const float> vectors, int64_t count, int64_t width) {
  constexpr int64_t kBlock = DotKernels::kVectors;
  const int64_t whole = width - width % kBlock, pitch = checked_mul(ceil_div(width, kBlock), kBlock);
  CountedVector<double> packed(size_t(checked_mul(count, pitch)));
  const float* from = vectors.data();
  double* to = packed.data();
  for (int64_t i = 0; i < count; ++i, from += width, to += pitch) {
    std::copy_n(from, whole, to);
    std::copy(from + whole, from + width, to + pitch - (width - whole));
  }
  return packed;
}

}  // namespace

LinearScores::LinearScores(const CompileInput& in, const LinearModel& whole)
    : rows_(in),
      shape_(rows_of(in.shape(0))),
      dots_(kernels_for<DotKernels>(in.isa())),
      intercepts_(whole.intercepts().begin(), whole.intercepts().end()),
      vectors_({}, 0) {
  const LinearModel model = whole.of_width(shape_.width);
  if (in.dtype(0) == DType::kFloat32 && model.scores() <= DotKernels::kRows && shape_.width > 0) {
    coefficients_ = few_vectors(model.coefficients(), model.scores(), shape_.width);
  } else {
    vectors_ = DotVectors(model.coefficients(), model.scores());
  }
}

size_t LinearScores::scratch_bytes() const {
  if (!coefficients_.empty()) return 0;
  return rows_.scratch_bytes(checked_mul(DotKernels::kRows, std::ssize(intercepts_)));
}

void LinearScores::for_each(KernelContext& context, const Finish& finish) const {
  if (!coefficients_.empty()) return for_each_float_row(context, finish);
  const int64_t count = vectors_.count();
  rows_.for_each(context, shape_.width * count, [&](int64_t row, int rows, const double* x, double* scores) {
    vectors_.sums(dots_.products, x, rows, scores);
    for (int64_t i = 0; i < rows * count; ++i) scores[i] += intercepts_[size_t(i % count)];
    finish(row, rows, scores);
  });
}

void LinearScores::for_each_float_row(KernelContext& context, const Finish& finish) const {
  const float* x = context.input(0).data<float>();
  const auto count = int(intercepts_.size());
  const double* intercepts = intercepts_.data();
  const int64_t cost = shape_.width * count;
  parallel_items(context.executor(), shape_.count, cost, [&](int64_t row, int64_t end, int) {
    Checkpoints checkpoints;
    double scores[DotKernels::kRows * kMostRows];
    for (; row < end; row += kMostRows) {
      const int rows = int(std::min<int64_t>(kMostRows, end - row));
      dots_.few_products(x + row * shape_.width, rows, {coefficients_.data(), count, shape_.width}, scores);
      for (int i = 0; i < rows; ++i) {
        for (int s = 0; s < count; ++s) scores[i * count + s] += intercepts[s];
      }
      finish(row, rows, scores);
      checkpoints.add(rows * (4 + cost));
    }
  });
}

}  // namespace linnet
