// Each line that linnet-unchecked-product finds ends in "found". check_tidy.py checks this file first.
#include <cstddef>
#include <vector>

#include "linnet/tensor.h"

namespace linnet {

struct Sizes {
  int64_t n, k;
};

struct Square {
  int64_t n;
  explicit Square(int64_t m) : n(m * m) {}  // found
};

int64_t elements(int64_t n, int64_t k) { return n * k; }                   // found
size_t scratch_bytes(int64_t n) { return 3 * size_t(n) * sizeof(float); }  // found
Sizes sizes(const Shape& x) { return Sizes{.n = x[0] * x[1], .k = 0}; }    // found
Shape matrices(const Shape& x) { return {x[0] * x[1], x[2]}; }             // found
void fill(Tensor& y, int64_t n) { y = Tensor(DType::kFloat32, {n * n}); }  // found
void grow(std::vector<float>& y, int64_t n) { y.resize(size_t(n * n)); }   // found
void copy(float* y, const float* x, int64_t n, int64_t k) {
  for (int64_t i = 0; i < n; ++i) y[i * k] = *(x + i * n);
  const std::vector<float> row(size_t(k * n));  // found
  const int64_t both = n * k;                   // found
  const std::vector<float> rows(static_cast<size_t>(both));
  const int64_t last = n * k;
  y[last] = row[0] + rows[0];
}
int64_t product(const Shape& x) {
  int64_t n = 1;
  for (const int64_t dim : x) n *= dim;  // found
  return n;
}

std::ptrdiff_t offset(int64_t row, int64_t pitch) { return row * pitch; }
int64_t rounded(int64_t n) { return n / 16 * 16; }
int64_t checked(int64_t n, int64_t k) { return checked_mul(n, k); }
double area(double n, double k) { return n * k; }
float work(int64_t n, int64_t k) { return float(n) * float(k); }

}  // namespace linnet
