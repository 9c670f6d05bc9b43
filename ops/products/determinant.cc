#include "products/determinant.h"

#include <algorithm>
#include <cmath>

#include "gemm/panels.h"
#include "gemm/rows.h"
#include "gemm/weights.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kColumns = 8;      // columns that are eliminated together
constexpr int64_t kFewestRows = 24;  // fewest rows of a matrix for which that pays
constexpr int kPanelVectors = 2;

bool is_large(int64_t n) { return n >= kFewestRows; }

/// row[j] += factor * pivot_row[j] for first <= j < columns.
void add_pivot_row(double factor, const double* __restrict pivot_row, int64_t first, int64_t columns,
                   double* __restrict row) {
  for (int64_t j = first; j < columns; ++j) row[j] += factor * pivot_row[j];
}

/// Eliminates the columns of a[rows, columns], where columns <= rows. The negated factors replace the elements below
/// the diagonal. Calls swap(i, j) for rows that are exchanged. Returns the product of the pivots with the sign of the
/// exchanges. If a column has no pivot, stops and returns 0.
template <class Swap>
double eliminate(double* a, int64_t rows, int64_t columns, const Swap& swap, Checkpoints& checkpoints) {
  double result = 1;
  for (int64_t k = 0; k < columns; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < rows; ++i) {
      if (std::abs(a[i * columns + k]) > std::abs(a[pivot * columns + k])) pivot = i;
    }
    checkpoints.add(rows);
    if (a[pivot * columns + k] == 0) return 0;
    if (pivot != k) {
      std::swap_ranges(a + k * columns, a + (k + 1) * columns, a + pivot * columns);
      swap(k, pivot);
      result = -result;
    }
    const double* pivot_row = a + k * columns;
    result *= pivot_row[k];
    double later[kColumns] = {};  // the pivot's row with zeros up to the pivot, so that whole vectors are added
    if (columns == kColumns) std::copy(pivot_row + k + 1, pivot_row + columns, later + k + 1);
    for (int64_t i = k + 1; i < rows; ++i) {
      double* row = a + i * columns;
      const double factor = -(row[k] / pivot_row[k]);
      if (columns == kColumns) {
        add_pivot_row(factor, later, 0, kColumns, row);
      } else {
        add_pivot_row(factor, pivot_row, k + 1, columns, row);
      }
      row[k] = factor;
      checkpoints.add(columns - k);
    }
  }
  return result;
}

}  // namespace

Determinant::Determinant(int64_t n, const GemmKernels<GemmF64>& kernels)
    : kernels_(kernels), n_(n), pitch_(is_large(n) ? row_copy_pitch<double>(n) : n) {
  const auto bytes = [](int64_t a, int64_t b) { return aligned(dtype_bytes(DType::kFloat64, checked_mul(a, b))); };
  scratch_bytes_ = bytes(n, pitch_);
  if (!is_large(n)) return;
  panel_offset_ = scratch_bytes_;
  packed_offset_ = panel_offset_ + bytes(n, kColumns);
  const int64_t panel_columns = checked_mul(kPanelVectors, kernels_.lanes);
  pointers_offset_ = packed_offset_ + bytes(checked_mul(ceil_div(n, panel_columns), panel_columns), kColumns);
  scratch_bytes_ = pointers_offset_ + dtype_bytes(DType::kInt64, kernels_.strip_rows);
}

double Determinant::get(std::byte* scratch, Checkpoints& checkpoints) const {
  auto* a = reinterpret_cast<double*>(scratch);
  if (is_large(n_)) return blocked(a, scratch, checkpoints);
  return eliminate(
      a, n_, n_, [](int64_t, int64_t) {}, checkpoints);
}

double Determinant::blocked(double* a, std::byte* scratch, Checkpoints& checkpoints) const {
  double result = 1;
  for (int64_t first = 0; first < n_ && result != 0; first += kColumns) {
    const Columns columns{first, std::min(kColumns, n_ - first), reinterpret_cast<double*>(scratch + panel_offset_)};
    const int64_t rows = n_ - first, end = first + columns.count;
    double* corner = a + first * pitch_ + first;
    for (int64_t i = 0; i < rows; ++i)
      std::copy_n(corner + i * pitch_, columns.count, columns.panel + i * columns.count);
    const auto swap = [&](int64_t i, int64_t j) {
      double* right = a + first * pitch_ + end;
      std::swap_ranges(right + i * pitch_, right + i * pitch_ + n_ - end, right + j * pitch_);
    };
    result *= eliminate(columns.panel, rows, columns.count, swap, checkpoints);
    if (end < n_) update(a, columns, scratch, checkpoints);
  }
  return result;
}

/// Updates what is right of eliminated columns: their own rows one after another, the rows below by a product.
void Determinant::update(double* a, const Columns& columns, std::byte* scratch, Checkpoints& checkpoints) const {
  const int64_t end = columns.first + columns.count, right = n_ - end;
  double* top = a + columns.first * pitch_ + end;
  for (int64_t i = 1; i < columns.count; ++i) {
    double* __restrict row = top + i * pitch_;
    for (int64_t k = 0; k < i; ++k) {
      const double factor = columns.panel[i * columns.count + k];
      const double* __restrict from = top + k * pitch_;
      for (int64_t j = 0; j < right; ++j) row[j] += factor * from[j];
    }
    checkpoints.add(i * right);
  }
  const GemmPanels panels = equal_panels(right, kPanelVectors, kernels_.lanes);
  auto* packed = reinterpret_cast<double*>(scratch + packed_offset_);
  const GemmWeights<double> weights{
      .data = top, .depth = columns.count, .columns = right, .depth_stride = pitch_, .column_stride = 1};
  pack_weights(weights, panels, packed);
  auto* pointers = reinterpret_cast<const double**>(scratch + pointers_offset_);
  GemmStrip<GemmF64> s;
  s.depth = s.b_rows = columns.count;
  s.a = pointers;
  s.panels = &panels;
  s.panel_end = panels.count();
  s.b = packed;
  s.y_pitch = pitch_;
  s.accumulate = true;
  for (int64_t row = columns.count; row < n_ - columns.first; row += s.rows) {
    s.rows = int(std::min<int64_t>(kernels_.strip_rows, n_ - columns.first - row));
    for (int i = 0; i < s.rows; ++i) pointers[i] = columns.panel + (row + i) * columns.count;
    s.y = top + row * pitch_;
    kernels_.strip(s);
    checkpoints.add(s.rows * columns.count * right);
  }
}

}  // namespace linnet
