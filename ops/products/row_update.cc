#include "products/row_update.h"

#include <algorithm>
#include <cmath>

#include "gemm/panels.h"
#include "gemm/weights.h"
#include "kernels/kernels_for.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int kPanelVectors = 2;

}  // namespace

int64_t largest_magnitude(const double* x, int64_t n) {
  int64_t best = 0;
  double most = std::abs(x[0]);
  for (int64_t j = 1; j < n; ++j) {
    const double magnitude = std::abs(x[j]);
    best = magnitude > most ? j : best;
    most = magnitude > most ? magnitude : most;
  }
  return best;
}

RowUpdate::RowUpdate(int64_t columns, int64_t depth, int64_t pitch, Isa isa)
    : product_(kernels_for<GemmKernels<GemmF64>>(isa)), pitch_(pitch) {
  const int64_t panel = checked_mul(kPanelVectors, product_.lanes);
  const int64_t packed = checked_mul(checked_mul(ceil_div(columns, panel), panel), depth);
  pointers_offset_ = aligned(dtype_bytes(DType::kFloat64, packed));
  scratch_bytes_ = pointers_offset_ + dtype_bytes(DType::kInt64, product_.strip_rows);
}

void RowUpdate::add(const Job& job, std::byte* scratch, Checkpoints& checkpoints) const {
  const GemmPanels panels = equal_panels(job.columns, kPanelVectors, product_.lanes);
  auto* packed = reinterpret_cast<double*>(scratch);
  const GemmWeights<double> weights{
      .data = job.from, .depth = job.depth, .columns = job.columns, .depth_stride = pitch_, .column_stride = 1};
  pack_weights(weights, panels, packed);
  auto* pointers = reinterpret_cast<const double**>(scratch + pointers_offset_);
  GemmStrip<GemmF64> s;
  s.depth = s.b_rows = job.depth;
  s.a = pointers;
  s.panels = &panels;
  s.panel_end = panels.count();
  s.b = packed;
  s.y_pitch = pitch_;
  s.accumulate = true;
  for (std::ptrdiff_t row = 0; row < job.rows; row += s.rows) {
    s.rows = int(std::min<int64_t>(product_.strip_rows, job.rows - row));
    for (int i = 0; i < s.rows; ++i) pointers[i] = job.factors + (row + i) * job.factors_pitch;
    s.y = job.to + row * pitch_;
    product_.strip(s);
    checkpoints.add(s.rows * job.depth * job.columns);
  }
}

}  // namespace linnet
