#include "traditionalml/tree_kernel.h"

#include <algorithm>

#include "infer/infer.h"
#include "partition/parallel.h"
#include "partition/parts.h"

namespace linnet {
namespace {

constexpr int64_t kLeastRows = 16, kMostRows = 256, kChunksPerWorker = 4;

/// The rows of a chunk. They fill a chunk, or are more if all workers have enough chunks, because each chunk reads all
/// trees. They are few if rows are long.
int64_t chunk_rows(const Rows& rows, int64_t steps, int64_t numbers, int workers) {
  const int64_t filling = kChunkElements / std::max<int64_t>(1, steps), fair = rows.count / workers / kChunksPerWorker;
  const int64_t wanted = std::clamp(std::max(filling, fair), kLeastRows, kMostRows);
  return std::max<int64_t>(1, std::min({wanted - wanted % kLeastRows, rows.count, 8 * kChunkElements / numbers}));
}

}  // namespace

TreeKernel::TreeKernel(const CompileInput& in, const TreeModel& model, TreeAggregate aggregate)
    : dtype_(in.dtype(0)),
      read_(read_numbers_of(in.dtype(0))),
      rows_(rows_of(in.shape(0))),
      targets_(model.spec().targets),
      aggregate_(aggregate) {
  if (model.narrow(dtype_)) narrow_ = model.evaluator<float>();
  if (!narrow_) wide_ = model.evaluator<double>();
  const int64_t steps = narrow_ ? narrow_->steps() : wide_->steps();
  step_ = chunk_rows(rows_, steps, checked_add(rows_.width, targets_), in.executor().workers());
  space_ = narrow_ ? narrow_->space(rows_.width, step_) : wide_->space(rows_.width, step_);
}

size_t TreeKernel::scratch_bytes() const {
  const int64_t row = checked_add(targets_, rows_.width);
  return dtype_bytes(DType::kFloat64, checked_add(checked_mul(step_, row), space_)) +
         size_t(checked_mul(step_, targets_));
}

std::string TreeKernel::describe() const {
  return str(narrow_ ? "float32" : "float64", " thresholds, chunks of ", step_, " rows");
}

const double* TreeKernel::read_wide(const void* x, int64_t begin, int64_t rows, double* space) const {
  if (dtype_ == DType::kFloat64) return static_cast<const double*>(x) + begin * rows_.width;
  read_(x, begin * rows_.width, rows * rows_.width, space);
  return space;
}

void TreeKernel::run(KernelContext& context) const {
  const void* x = context.input(0).raw();
  const int64_t width = rows_.width;
  context.executor().parallel_for(ceil_div(rows_.count, step_), [&](int64_t chunk, int worker) {
    const int64_t begin = chunk * step_, rows = std::min(step_, rows_.count - begin);
    auto* scores = reinterpret_cast<double*>(context.scratch(worker));
    double* numbers = scores + step_ * targets_;
    double* space = numbers + step_ * width;
    auto* voted = reinterpret_cast<bool*>(space + space_);
    if (narrow_) {
      const float* from = static_cast<const float*>(x) + begin * width;
      narrow_->compute(from, width, rows, aggregate_, reinterpret_cast<float*>(space), scores, voted);
    } else {
      wide_->compute(read_wide(x, begin, rows, numbers), width, rows, aggregate_, space, scores, voted);
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
  learn_at_least(width, least);
}

BaseValues::BaseValues(const NodeSpec& node, int64_t targets) : values_(floats_or_tensor(node, "base_values")) {
  if (!values_.empty()) require_length("base_values", values_.size(), targets);
}

}  // namespace linnet
