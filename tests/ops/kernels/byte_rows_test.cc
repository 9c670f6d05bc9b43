#include "kernels/byte_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/kernels_for.h"
#include "ops/kernels/lengths.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class ByteRowKernel : public ::testing::TestWithParam<Isa> {
 protected:
  const ByteRowKernels& kernels_ = kernels_for<ByteRowKernels>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(, ByteRowKernel, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

TEST_P(ByteRowKernel, LooksBytesUp) {
  std::vector<uint8_t> table(256);
  for (size_t i = 0; i < 256; ++i) table[i] = uint8_t(i * 167 + 13);
  for (const int64_t n : kLengths) {
    Guarded<uint8_t> x(n), y(n);
    for (int64_t i = 0; i < n; ++i) x[i] = uint8_t(i * 31);
    kernels_.look_up(x.data(), table.data(), y.data(), n);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y[i], uint8_t(x[i] * 167 + 13)) << i << " of " << n;
    kernels_.look_up(x.data(), table.data(), x.data(), n);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(x[i], y[i]);
  }
}

TEST_P(ByteRowKernel, SumsRows) {
  for (const int64_t n : kLengths) {
    Guarded<uint8_t> x(3 * n);
    for (int64_t i = 0; i < 3 * n; ++i) x[i] = uint8_t(255 - i % 7);
    int32_t sums[4] = {9, 9, 9, 9};
    kernels_.sum_rows(x.data(), 3, n, sums);
    for (int64_t row = 0; row < 3; ++row) {
      int32_t want = 0;
      for (int64_t i = 0; i < n; ++i) want += x[row * n + i];
      ASSERT_EQ(sums[row], want) << row << " of " << n;
    }
    ASSERT_EQ(sums[3], 9);
  }
}

TEST_P(ByteRowKernel, WidensLessAZeroPoint) {
  for (const int64_t n : kLengths) {
    Guarded<uint8_t> x(n, 1);
    for (const uint8_t flip : {uint8_t{0}, uint8_t{128}}) {
      for (const int16_t zero : {int16_t{0}, int16_t{99}, int16_t{255}}) {
        Guarded<int16_t> y(n);
        kernels_.widen(x.data(), n, flip, zero, y.data());
        for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y[i], (x[i] ^ flip) - zero) << n << " " << i;
      }
    }
  }
}

TEST_P(ByteRowKernel, NothingBehindTheLastElementIsLookedUp) {
  const std::vector<uint8_t> bytes(100, 1), table(256, 5);
  for (int64_t n = 0; n < 70; ++n) {
    std::vector<uint8_t> y(100, 77);
    kernels_.look_up(bytes.data(), table.data(), y.data(), n);
    for (size_t i = 0; i < 100; ++i) ASSERT_EQ(y[i], i < size_t(n) ? 5 : 77) << i << " of " << n;
  }
}

}  // namespace
}  // namespace linnet::testing
