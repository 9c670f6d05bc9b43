#include "traditionalml/linear_model.h"

#include <algorithm>

#include "infer/infer.h"
#include "kernels/dots.h"
#include "kernels/kernels_for.h"
#include "kernels/transpose.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
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

LinearScores::LinearScores(const CompileInput& in, const LinearModel& whole)
    : rows_(in),
      shape_(rows_of(in.shape(0))),
      dots_(kernels_for<DotKernels>(in.isa())),
      transpose_(kernels_for<TransposeKernels>(in.isa()).bits32),
      intercepts_(whole.intercepts().begin(), whole.intercepts().end()),
      vectors_({}, 0) {
  const LinearModel model = whole.of_width(shape_.width);
  if (in.dtype(0) == DType::kFloat32 && model.scores() <= DotKernels::kRows && shape_.width > 0) {
    coefficients_.assign(model.coefficients().begin(), model.coefficients().end());
  } else {
    vectors_ = DotVectors(model.coefficients(), model.scores());
  }
}

size_t LinearScores::scratch_bytes() const {
  const int64_t scores = std::ssize(intercepts_);
  if (coefficients_.empty()) return rows_.scratch_bytes(checked_mul(DotKernels::kRows, scores));
  return dtype_bytes(DType::kFloat32, checked_mul(DotKernels::kVectors, shape_.width));
}

void LinearScores::for_each(KernelContext& context, const Finish& finish) const {
  if (!coefficients_.empty()) return for_each_panel(context, finish);
  const int64_t count = vectors_.count();
  rows_.for_each(context, shape_.width * count, [&](int64_t row, int rows, const double* x, double* scores) {
    vectors_.sums(dots_.products, x, rows, scores);
    for (int64_t i = 0; i < rows * count; ++i) scores[i] += intercepts_[size_t(i % count)];
    finish(row, rows, scores);
  });
}

void LinearScores::for_each_panel(KernelContext& context, const Finish& finish) const {
  constexpr int kVectors = DotKernels::kVectors;
  const float* x = context.input(0).data<float>();
  const int64_t width = shape_.width, cost = width * std::ssize(intercepts_);
  const auto count = int(intercepts_.size());
  parallel_items(context.executor(), shape_.count, cost, [&](int64_t row, int64_t end, int worker) {
    auto* panel = reinterpret_cast<float*>(context.scratch(worker));
    Checkpoints checkpoints;
    double sums[DotKernels::kRows * kVectors], scores[DotKernels::kRows * kMostRows];
    for (; row < end; row += kMostRows) {
      const int rows = int(std::min<int64_t>(kMostRows, end - row));
      for (int first = 0; first < rows; first += kVectors) {
        const int some = std::min(kVectors, rows - first);
        if (some < kVectors) std::fill_n(panel, kVectors * width, 0.0f);
        transpose_(x + (row + first) * width, some, width, width, panel, kVectors);
        dots_.products(coefficients_.data(), count, {panel, some, width}, sums, kVectors);
        for (int i = 0; i < some; ++i) {
          double* to = scores + (first + i) * count;
          for (int s = 0; s < count; ++s) to[s] = sums[s * kVectors + i] + intercepts_[size_t(s)];
        }
      }
      finish(row, rows, scores);
      checkpoints.add(rows * (4 + cost));
    }
  });
}

}  // namespace linnet
