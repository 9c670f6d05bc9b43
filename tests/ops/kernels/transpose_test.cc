#include "kernels/transpose.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

template <class T>
void expect_transposed(void (*transpose)(const void*, int64_t, int64_t, int64_t, void*, int64_t), int64_t rows,
                       int64_t cols, int64_t extra, int64_t before = 0) {
  const int64_t ldx = cols + extra, ldy = rows + extra;
  std::vector<T> x(size_t(rows * ldx)), y(size_t(before + cols * ldy), T(7));
  for (size_t i = 0; i < x.size(); ++i) x[i] = T(i * 31 + 11);
  std::vector<T> want = y;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) want[size_t(before + c * ldy + r)] = x[size_t(r * ldx + c)];
  }
  transpose(x.data(), rows, cols, ldx, y.data() + before, ldy);
  ASSERT_EQ(y, want) << rows << "x" << cols << " pitch +" << extra << " from " << before;
}

class TransposeKernel : public ::testing::TestWithParam<Isa> {};

TEST_P(TransposeKernel, MovesEveryElementAndTouchesNoOther) {
  const TransposeKernels& kernels = kernels_for<TransposeKernels>(GetParam());
  const int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 24, 33, 64, 70, 131};
  for (const int64_t rows : extents) {
    for (const int64_t cols : extents) {
      for (const int64_t extra : {0, 3}) {
        expect_transposed<uint8_t>(kernels.bits8, rows, cols, extra);
        expect_transposed<uint16_t>(kernels.bits16, rows, cols, extra);
        expect_transposed<uint32_t>(kernels.bits32, rows, cols, extra);
        expect_transposed<uint64_t>(kernels.bits64, rows, cols, extra);
      }
    }
  }
}

TEST_P(TransposeKernel, MovesMatricesWhoseRowsShareSetsOfACacheToAnyAddress) {
  const TransposeKernels& kernels = kernels_for<TransposeKernels>(GetParam());
  for (const int64_t shared : {256, 512}) {
    for (const int64_t other : {9, 70, 131, 256}) {
      for (const int64_t before : {0, 1, 4, 15}) {
        expect_transposed<uint8_t>(kernels.bits8, shared, other, 0, 16 * before);
        expect_transposed<uint16_t>(kernels.bits16, shared, other, 0, 8 * before);
        expect_transposed<uint32_t>(kernels.bits32, shared, other, 0, before);
        expect_transposed<uint64_t>(kernels.bits64, shared, other, 0, 2 * before);
      }
      expect_transposed<uint32_t>(kernels.bits32, other, shared, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, TransposeKernel, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace linnet::testing
