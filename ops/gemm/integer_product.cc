#include "gemm/integer_product.h"

#include <algorithm>

namespace linnet {
namespace {

/// Products of so many pairs add up within int32, so that the loop over them may be vectorised as a signed sum.
constexpr int64_t kExactDepth = 16384;

template <int kRows>
void dots(const int16_t* a, const int16_t* b, int64_t depth, uint32_t* sums) {
  for (int64_t first = 0; first < depth; first += kExactDepth) {
    const int64_t end = std::min(depth, first + kExactDepth);
    int32_t block[kRows] = {};
    for (int64_t k = first; k < end; ++k) {
      for (int r = 0; r < kRows; ++r) block[r] += int32_t(a[r * depth + k]) * int32_t(b[k]);
    }
    for (int r = 0; r < kRows; ++r) sums[r] += uint32_t(block[r]);
  }
}

template <int kRows>
void columns(const int16_t* a, const int16_t* b, int64_t n, int64_t depth, int32_t* y) {
  for (int64_t j = 0; j < n; ++j) {
    uint32_t sums[kRows] = {};
    dots<kRows>(a, b + j * depth, depth, sums);
    for (int r = 0; r < kRows; ++r) y[r * n + j] = int32_t(sums[r]);
  }
}

template <class T>
int32_t widen_all(const T* from, int64_t n, int32_t zero, int16_t* to) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    to[i] = int16_t(int32_t(from[i]) - zero);
    sum += uint32_t(int32_t(to[i]));
  }
  return int32_t(sum);
}

}  // namespace

void dot_products(const int16_t* a, int64_t rows, const int16_t* b, int64_t n, int64_t depth, int32_t* y) {
  int64_t r = 0;
  for (; r + kIntegerRows <= rows; r += kIntegerRows) columns<kIntegerRows>(a + r * depth, b, n, depth, y + r * n);
  for (; r < rows; ++r) columns<1>(a + r * depth, b, n, depth, y + r * n);
}

int32_t widen(const int8_t* from, int64_t n, int32_t zero, int16_t* to) { return widen_all(from, n, zero, to); }
int32_t widen(const uint8_t* from, int64_t n, int32_t zero, int16_t* to) { return widen_all(from, n, zero, to); }

}  // namespace linnet
