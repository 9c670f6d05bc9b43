#include "products/determinant.h"

#include <algorithm>

#include "gemm/rows.h"
#include "kernels/kernels_for.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kRows = 8;         // rows that are eliminated together
constexpr int64_t kFewestRows = 64;  // fewest rows of a matrix for which that pays
constexpr int64_t kLine = 8;         // elements of a cache line

int64_t line_of(int64_t column) { return column - column % kLine; }

}  // namespace

Determinant::Determinant(int64_t n, Isa isa)
    : add_rows_(kernels_for<NumberKernels>(isa).multiply_add_rows_f64),
      n_(n),
      rows_(n < kFewestRows ? n : kRows),
      pitch_(row_copy_pitch<double>(n)) {
  scratch_bytes_ = update_offset_ = aligned(dtype_bytes(DType::kFloat64, checked_mul(n, pitch_)));
  if (rows_ == n) return;
  update_ = RowUpdate(n, kRows, pitch_, isa);
  scratch_bytes_ += update_.scratch_bytes();
}

double Determinant::get(std::byte* scratch, Checkpoints& checkpoints) const {
  auto* a = reinterpret_cast<double*>(scratch);
  for (int64_t i = 0; i < n_; ++i) std::fill(a + i * pitch_ + n_, a + (i + 1) * pitch_, 0.0);
  double result = 1;
  for (int64_t first = 0; first < n_ && result != 0; first += rows_) {
    const int64_t end = std::min(first + rows_, n_);
    result *= eliminate(a, first, end, checkpoints);
    if (end < n_) update(a, first, end, scratch, checkpoints);
  }
  return result;
}

/// Eliminates rows [first, end) to the right of the diagonal, which become zero; the negated factors replace them.
/// Columns are exchanged also in all rows below. Returns the product of the pivots with the sign of the exchanges. If a
/// row has no pivot, stops and returns 0.
double Determinant::eliminate(double* a, int64_t first, int64_t end, Checkpoints& checkpoints) const {
  double result = 1;
  const int64_t columns = line_of(n_ + kLine - 1);
  for (int64_t k = first; k < end; ++k) {
    double* row = a + k * pitch_;
    const int64_t pivot = k + largest_magnitude(row + k, n_ - k);
    if (row[pivot] == 0) return 0;
    if (pivot != k) {
      for (int64_t i = end < n_ ? first : k; i < n_; ++i) std::swap(a[i * pitch_ + k], a[i * pitch_ + pivot]);
      result = -result;
    }
    const double value = row[k];
    result *= value;
    // Whole lines are added; zeros change nothing in columns up to the pivot.
    const int64_t begin = line_of(k + 1);
    for (int64_t j = begin; j <= k; ++j) row[j] = 0;
    for (int64_t j = k + 1; j < n_; ++j) row[j] = -(row[j] / value);
    double* below = row + pitch_;
    add_rows_(below + k, pitch_, row + begin, below + begin, pitch_, end - k - 1, columns - begin);
    checkpoints.add((end - k + 2) * (n_ - k));
  }
  return result;
}

/// Updates the rows below eliminated rows: their columns one after another, what is right of them by a product.
void Determinant::update(double* a, int64_t first, int64_t end, std::byte* scratch, Checkpoints& checkpoints) const {
  const int64_t below = n_ - end, depth = end - first;
  double* corner = a + end * pitch_ + first;
  for (int64_t k = 0; k < depth; ++k) {
    const double* row = a + (first + k) * pitch_ + first;
    add_rows_(corner + k, pitch_, row + k + 1, corner + k + 1, pitch_, below, depth - k - 1);
    checkpoints.add(below * depth);
  }
  update_.add({.factors = corner,
               .factors_pitch = pitch_,
               .from = a + first * pitch_ + end,
               .depth = depth,
               .columns = below,
               .to = corner + depth,
               .rows = below},
              scratch + update_offset_, checkpoints);
}

}  // namespace linnet
