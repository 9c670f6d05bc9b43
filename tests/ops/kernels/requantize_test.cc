#include "kernels/requantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class Requantize : public ::testing::TestWithParam<Isa> {};

uint8_t expected(int32_t sum, float scale, int32_t zero) {
  return uint8_t(std::clamp(std::nearbyint(double(sum) * double(scale)) + zero, 0.0, 255.0));
}

/// Tests adjacent rows, whose vectors may overlap the next row, and rows of a wider output. Scales are powers of two.
TEST_P(Requantize, WritesItsColumnsOnly) {
  constexpr int32_t kZero = 7;
  constexpr uint8_t kOther = 77;
  for (int64_t columns = 1; columns <= 140; ++columns) {
    for (const auto& [rows, beside] : {std::pair<int64_t, int64_t>{1, 0}, {2, 0}, {9, 0}, {40, 0}, {5, 3}}) {
      std::vector<int32_t> sums(size_t(rows * columns));
      std::vector<float> scale;
      for (size_t i = 0; i < sums.size(); ++i) sums[i] = int32_t(i * 7919 % 4001) - 2000;
      for (int64_t j = 0; j < columns; ++j) scale.push_back(std::ldexp(1.0f, int(-2 - j % 3)));
      const int64_t pitch = columns + beside;
      std::vector<uint8_t> y(size_t(rows * pitch + 300), kOther);
      RequantizeJob job;
      job.sums = sums.data();
      job.rows = rows;
      job.columns = columns;
      job.scale = scale.data();
      job.zero = kZero;
      job.y_pitch = pitch;
      job.low = float(-kZero);
      job.high = float(255 - kZero);
      for (const bool clamps : {false, true}) {
        job.clamps = clamps;
        kernels_for<RequantizeKernels>(GetParam()).to_bytes(job, y.data());
        for (size_t i = 0; i < y.size(); ++i) {
          const int64_t row = int64_t(i) / pitch, j = int64_t(i) % pitch;
          const bool written = row < rows && j < columns;
          const uint8_t want = written ? expected(sums[size_t(row * columns + j)], scale[size_t(j)], kZero) : kOther;
          ASSERT_EQ(y[i], want) << rows << "x" << columns << " of " << pitch << " at " << row << ", " << j;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Requantize, ::testing::ValuesIn(supported_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

}  // namespace
}  // namespace linnet::testing
