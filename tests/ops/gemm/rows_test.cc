#include "gemm/rows.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "support/guarded_floats.h"

namespace linnet::testing {
namespace {

/// Expects that rows() returns the block's values of A, whose element (i, k) is at a[i * row_stride + k], and reads no
/// memory after the last one.
template <class T>
void expect_rows(int64_t rows, int64_t depth, int64_t row_stride, int64_t k) {
  const Guarded<T> a((rows - 1) * row_stride + depth, 3);
  const MatrixRows<T> source(a.data(), row_stride);
  std::vector<std::byte> scratch(size_t(rows) * MatrixRows<T>::scratch_bytes(depth, row_stride));
  std::vector<const T*> pointers(size_t(rows - 1));
  source.rows({.row = 1, .rows = int(rows - 1), .k = k, .depth = depth - k}, pointers.data(), scratch.data());
  for (int64_t i = 1; i < rows; ++i) {
    for (int64_t j = k; j < depth; ++j) {
      ASSERT_EQ(pointers[size_t(i - 1)][j - k], a[i * row_stride + j]) << i << " " << j;
    }
  }
}

template <class T>
void expect_all() {
  for (const int64_t depth : {1, 3, 4, 37, 64}) {
    for (const int64_t k : {int64_t{0}, (depth - 1) / 4 * 4}) {
      expect_rows<T>(5, depth, depth, k);
      expect_rows<T>(5, depth, 4096 / int64_t{sizeof(T)}, k);
    }
  }
}

TEST(MatrixRows, AreThoseOfAMatrixWithAnyStride) {
  expect_all<float>();
  expect_all<double>();
  expect_all<uint8_t>();
}

/// Products read bytes four at a time.
TEST(MatrixRows, OfBytesCanBeReadUpToWholeUnits) {
  const Guarded<uint8_t> a(3 * 7);
  const MatrixRows<uint8_t> source(a.data(), 7);
  std::vector<std::byte> scratch(3 * MatrixRows<uint8_t>::scratch_bytes(7, 7));
  std::array<const uint8_t*, 3> pointers;
  source.rows({.rows = 3, .depth = 7}, pointers.data(), scratch.data());
  const volatile uint8_t* last = pointers[2];
  EXPECT_EQ(last[6], a[20]);
  EXPECT_GE(last[7], 0);
}

}  // namespace
}  // namespace linnet::testing
