#include "traditionalml/tree_kernel.h"

#include <algorithm>

#include "infer/infer.h"
#include "partition/parallel.h"
#include "partition/parts.h"

namespace linnet {
namespace {

/// About how many steps a row takes down a tree.
constexpr int64_t kDepth = 8;
constexpr int64_t kLeastRows = 16, kMostRows = 256;

}  // namespace

TreeKernel::TreeKernel(const CompileInput& in, const TreeModel& model, TreeAggregate aggregate)
    : dtype_(in.dtype(0)),
      read_(read_numbers_of(in.dtype(0))),
      rows_(rows_of(in.shape(0))),
      targets_(model.spec().targets),
      aggregate_(aggregate) {
  if (model.narrow(dtype_)) narrow_ = model.evaluator<float>();
  if (!narrow_) wide_ = model.evaluator<double>();
  const int64_t steps = checked_mul(int64_t(model.spec().roots.size()), kDepth);
  step_ = std::clamp(kChunkElements / std::max<int64_t>(1, steps), kLeastRows, kMostRows);
  const int64_t numbers = checked_add(rows_.width, targets_);
  step_ = std::max<int64_t>(1, std::min({step_, rows_.count, 8 * kChunkElements / numbers}));
}

size_t TreeKernel::scratch_bytes() const {
  const int64_t row = checked_add(targets_, checked_mul(2, rows_.width));
  return dtype_bytes(DType::kFloat64, checked_mul(step_, row)) + size_t(checked_mul(step_, targets_));
}

std::string TreeKernel::describe() const {
  return str(narrow_ ? "float32" : "float64", " thresholds, chunks of ", step_, " rows");
}

const double* TreeKernel::read_wide(const void* x, int64_t begin, int64_t rows, double* space) const {
  if (dtype_ == DType::kFloat64) return static_cast<const double*>(x) + begin * rows_.width;
  read_(x, begin * rows_.width, rows * rows_.width, space);
  return space;
}

const float* TreeKernel::read_narrow(const void* x, int64_t begin, int64_t rows, double* space) const {
  if (dtype_ == DType::kFloat32) return static_cast<const float*>(x) + begin * rows_.width;
  const int64_t n = rows * rows_.width;
  read_(x, begin * rows_.width, n, space);
  auto* narrowed = reinterpret_cast<float*>(space + n);
  for (int64_t i = 0; i < n; ++i) narrowed[i] = float(space[i]);
  return narrowed;
}

void TreeKernel::run(KernelContext& context) const {
  const void* x = context.input(0).raw();
  const int64_t width = rows_.width;
  context.executor().parallel_for(ceil_div(rows_.count, step_), [&](int64_t chunk, int worker) {
    const int64_t begin = chunk * step_, rows = std::min(step_, rows_.count - begin);
    auto* scores = reinterpret_cast<double*>(context.scratch(worker));
    double* space = scores + step_ * targets_;
    auto* voted = reinterpret_cast<bool*>(space + 2 * step_ * width);
    if (narrow_) {
      narrow_->compute(read_narrow(x, begin, rows, space), width, rows, aggregate_, scores, voted);
    } else {
      wide_->compute(read_wide(x, begin, rows, space), width, rows, aggregate_, scores, voted);
    }
    for (int64_t r = 0; r < rows; ++r) finish(context, begin + r, scores + r * targets_, voted + r * targets_);
  });
}

void require_features(const Fact& x, const TreeSpec& spec) {
  if (!x.has_rank()) return;
  const Dim& width = x.dims->back();
  const int64_t least = std::max<int64_t>(1, spec.features());
  if (width.known() && width.value() < least) {
    throw Error(ErrorKind::kShape, str("X must have ", least, " features or more, as the trees read them, got ", x));
  }
}

BaseValues::BaseValues(const NodeSpec& node, int64_t targets) : values_(floats_or_tensor(node, "base_values")) {
  if (!values_.empty()) require_length("base_values", values_.size(), targets);
}

}  // namespace linnet
