#include "traditionalml/feature_rows.h"

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"

namespace linnet {

void require_rows(const Fact& x) {
  require_dtype_in(x, kMlNumbers, "X");
  if (x.has_rank() && x.rank() != 1 && x.rank() != 2) {
    throw Error(ErrorKind::kShape, str("X must have rank 1 or 2, got ", x));
  }
}

Rows rows_of(const Shape& x) {
  if (x.rank() == 1) return {1, x[0]};
  if (x.rank() == 2) return {x[0], x[1]};
  throw Error(ErrorKind::kShape, str("X must have rank 1 or 2, got ", x));
}

Dim feature_dim(const Fact& x) {
  int last = x.rank() - 1;
  while (last > 1 && certainly_equal(x.dim(last), 1)) --last;
  return x.dim(last);
}

Dim row_dim(const Fact& x) {
  if (!x.has_rank()) return {};
  return x.rank() == 1 ? Dim(1) : x.dim(0);
}

void require_length(const std::string& attribute, size_t got, int64_t want) {
  if (int64_t(got) == want) return;
  throw Error(ErrorKind::kModel, str(attribute, " must have ", want, " values, got ", got));
}

void throw_value(const std::string& attribute, const std::string& got, const std::string& allowed) {
  throw Error(ErrorKind::kModel, str(attribute, " must be ", allowed, ", got ", got));
}

ReadNumbers read_numbers_of(DType dtype) {
  return dispatch_number(dtype, []<class T>() -> ReadNumbers {
    return [](const void* data, int64_t begin, int64_t n, double* out) {
      const T* from = static_cast<const T*>(data) + begin;
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<double>(from[i]);
    };
  });
}

RowBlocks::RowBlocks(const CompileInput& in) : read_(read_numbers_of(in.dtype(0))), rows_(rows_of(in.shape(0))) {}

size_t RowBlocks::scratch_bytes(int64_t numbers) const {
  return dtype_bytes(DType::kFloat64, checked_add(checked_mul(DotKernels::kRows, rows_.width), numbers));
}

void RowBlocks::for_each(KernelContext& context, int64_t cost, const Work& work) const {
  const void* x = context.input(0).raw();
  parallel_items(context.executor(), rows_.count, cost, [&](int64_t begin, int64_t end, int worker) {
    auto* rows = reinterpret_cast<double*>(context.scratch(worker));
    double* numbers = rows + DotKernels::kRows * rows_.width;
    Checkpoints checkpoints;
    for (int64_t row = begin; row < end; row += DotKernels::kRows) {
      const int count = int(std::min<int64_t>(DotKernels::kRows, end - row));
      read_(x, row * rows_.width, count * rows_.width, rows);
      work(row, count, rows, numbers);
      checkpoints.add(count * (8 + cost));
    }
  });
}

double dot(const double* a, const float* b, int64_t n) {
  double lanes[4] = {};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int64_t k = 0; k < 4; ++k) lanes[k] += a[i + k] * double(b[i + k]);
  }
  for (; i < n; ++i) lanes[0] += a[i] * double(b[i]);
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

void DotVectors::sums(DotKernels::Sums kernel, const double* x, int rows, double* out) const {
  constexpr int64_t kVectors = DotKernels::kVectors;
  Checkpoints checkpoints;
  checkpoints.in_parts(ceil_div(count_, kVectors), rows * kVectors * width_, [&](int64_t panel, int64_t end) {
    const int64_t i = panel * kVectors, vectors = std::min(count_, end * kVectors) - i;
    kernel(x, rows, {panels_.data() + i * width_, vectors, width_}, out + i, count_);
  });
}

DotVectors::DotVectors(std::span<const float> vectors, int64_t count)
    : count_(count), width_(count == 0 ? 0 : int64_t(vectors.size()) / count) {
  constexpr int64_t kVectors = DotKernels::kVectors;
  panels_.resize(size_t(checked_mul(checked_mul(ceil_div(count, kVectors), kVectors), width_)));
  if (panels_.empty()) return;
  for (int64_t i = 0; i < count; ++i) {
    float* to = panels_.data() + i / kVectors * kVectors * width_ + i % kVectors;
    for (int64_t k = 0; k < width_; ++k) to[k * kVectors] = vectors[size_t(i * width_ + k)];
  }
}

}  // namespace linnet
