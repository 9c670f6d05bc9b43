#include "kernels/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"
#include "support/special_floats.h"

namespace linnet::testing {
namespace {

constexpr int64_t kChannelCounts[] = {1, 3, 4, 7, 8, 15, 16, 17, 31, 64, 65, 100};

class PoolKernel : public ::testing::TestWithParam<Isa> {
 protected:
  const PoolKernels& kernels_ = kernels_for<PoolKernels>(GetParam());
};

/// Returns the rows of a guarded block; the last row ends at the guard page.
std::vector<const float*> rows_of(const GuardedFloats& x, int64_t rows, int64_t n) {
  std::vector<const float*> pointers;
  for (int64_t r = 0; r < rows; ++r) pointers.push_back(x.data() + (rows - 1 - r) * n);
  return pointers;
}

TEST_P(PoolKernel, ReducesRowsLikeDoublePrecision) {
  for (const int64_t n : kChannelCounts) {
    for (const int64_t rows : {1, 2, 9, 64, 65, 200}) {
      const GuardedFloats x(rows * n, unsigned(n));
      GuardedFloats largest(n), mean(n), weighted(n);
      const std::vector<const float*> taps = rows_of(x, rows, n);
      std::vector<float> weights;
      for (int64_t r = 0; r < rows; ++r) weights.push_back(float(r % 5) - 1.5f);
      kernels_.max_f32.taps(taps.data(), rows, n, largest.data());
      kernels_.mean_f32(taps.data(), rows, 3.0f, n, mean.data());
      kernels_.weighted_f32(taps.data(), weights.data(), rows, n, weighted.data());
      for (int64_t i = 0; i < n; ++i) {
        double best = -1e9, sum = 0, weighted_sum = 0, magnitude = 0;
        for (int64_t r = 0; r < rows; ++r) {
          const double value = taps[size_t(r)][i];
          best = std::max(best, value);
          sum += value;
          weighted_sum += value * weights[size_t(r)];
          magnitude += std::abs(value);
        }
        ASSERT_EQ(largest[i], float(best));
        ASSERT_NEAR(mean[i], sum / 3, 1e-6 * magnitude);
        ASSERT_NEAR(weighted[i], weighted_sum, 3e-6 * magnitude);
      }
    }
  }
}

TEST_P(PoolKernel, PairsAreSumsOfTwoProducts) {
  for (const int64_t n : kChannelCounts) {
    const GuardedFloats x(2 * n);
    GuardedFloats y(n);
    const auto room = size_t(n + PoolKernels::kPairBlock - 1) / PoolKernels::kPairBlock * PoolKernels::kPairBlock;
    std::vector<int32_t> first(room), second(room);
    std::vector<float> some(room), others(room);
    for (int64_t i = 0; i < n; ++i) {
      first[size_t(i)] = int32_t(i * 7 % (2 * n)), second[size_t(i)] = int32_t(2 * n - 1 - i);
      some[size_t(i)] = float(i % 5) - 1.5f, others[size_t(i)] = float(i % 3) + 0.25f;
    }
    const int32_t* const index[] = {first.data(), second.data()};
    const float* const weights[] = {some.data(), others.data()};
    kernels_.pairs_f32(x.data(), index, weights, n, y.data());
    for (int64_t i = 0; i < n; ++i) {
      const double a = double(some[size_t(i)]) * double(x[first[size_t(i)]]);
      const double b = double(others[size_t(i)]) * double(x[second[size_t(i)]]);
      ASSERT_NEAR(double(y[i]), a + b, 2e-7 * (std::abs(a) + std::abs(b)));
    }
  }
}

TEST_P(PoolKernel, PitchedRowsGiveWhatPointersGive) {
  for (const int64_t n : kChannelCounts) {
    const int64_t rows = 70, pitch = n + 5;
    const GuardedFloats x((rows - 1) * pitch + n);
    std::vector<const float*> taps;
    for (int64_t r = 0; r < rows; ++r) taps.push_back(x.data() + r * pitch);
    GuardedFloats by_pitch(n), by_pointer(n);
    kernels_.mean_rows_f32(x.data(), rows, pitch, 70.0f, n, by_pitch.data());
    kernels_.mean_f32(taps.data(), rows, 70.0f, n, by_pointer.data());
    ASSERT_TRUE(std::equal(by_pitch.data(), by_pitch.data() + n, by_pointer.data()));
    kernels_.max_f32.rows(x.data(), rows, pitch, n, by_pitch.data());
    kernels_.max_f32.taps(taps.data(), rows, n, by_pointer.data());
    ASSERT_TRUE(std::equal(by_pitch.data(), by_pitch.data() + n, by_pointer.data()));
  }
}

TEST_P(PoolKernel, ReducesOneLineLikeDoublePrecision) {
  for (int64_t n = 1; n < 200; ++n) {
    const GuardedFloats x(n, unsigned(n));
    double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += x[i];
      magnitude += std::abs(x[i]);
    }
    ASSERT_NEAR(kernels_.sum_f32(x.data(), n), sum, 1e-6 * magnitude);
    ASSERT_EQ(kernels_.max_f32.line(x.data(), n), *std::max_element(x.data(), x.data() + n));
  }
}

TEST_P(PoolKernel, AMaximumOverNanIsNanWhereverItStands) {
  for (const int64_t n : {5, 40}) {
    for (int64_t at = 0; at < n; ++at) {
      GuardedFloats line(n), other(n), y(n);
      line[at] = kNan;
      const float* taps[] = {other.data(), line.data(), other.data()};
      kernels_.max_f32.taps(taps, 3, n, y.data());
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(std::isnan(y[i]), i == at);
      ASSERT_TRUE(std::isnan(kernels_.max_f32.line(line.data(), n)));
    }
  }
}

template <class T>
void expect_byte_reductions(const MaxKernels<T>& max, const ByteMeanKernels<T>& mean) {
  for (const int64_t n : kChannelCounts) {
    for (const int64_t rows : {1, 2, 9, 300}) {
      const int64_t pitch = n + 3;
      const Guarded<T> x(rows * pitch, unsigned(n));
      Guarded<T> largest(n), by_pitch(n);
      GuardedFloats means(n), means_by_pitch(n);
      std::vector<const T*> taps;
      for (int64_t r = 0; r < rows; ++r) taps.push_back(x.data() + r * pitch + 3);
      max.taps(taps.data(), rows, n, largest.data());
      max.rows(taps[0], rows, pitch, n, by_pitch.data());
      mean.taps(taps.data(), rows, n, 1000, 0.01f, means.data());
      mean.rows(taps[0], rows, pitch, n, 1000, 0.01f, means_by_pitch.data());
      for (int64_t i = 0; i < n; ++i) {
        int best = -128;
        int32_t sum = 0;
        for (const T* row : taps) {
          best = std::max(best, int(row[i]));
          sum += row[i];
        }
        ASSERT_EQ(int(largest[i]), best) << n << " " << rows;
        ASSERT_EQ(int(by_pitch[i]), best) << n << " " << rows;
        ASSERT_EQ(means[i], float(sum - 1000) * 0.01f) << n << " " << rows;
        ASSERT_EQ(means_by_pitch[i], means[i]) << n << " " << rows;
      }
      ASSERT_EQ(max.line(taps[0], n), *std::max_element(taps[0], taps[0] + n));
    }
  }
}

TEST_P(PoolKernel, ReducesBytesExactly) {
  expect_byte_reductions(kernels_.max_u8, kernels_.mean_u8);
  expect_byte_reductions(kernels_.max_s8, kernels_.mean_s8);
}

TEST_P(PoolKernel, SumsOfBytesHoldTheLongestWindow) {
  const std::vector<uint8_t> x(size_t{1} << 22, 255);
  float y;
  kernels_.mean_u8.rows(x.data(), std::ssize(x), 1, 1, 255 << 22, 1.0f, &y);
  EXPECT_EQ(y, 0.0f);
}

INSTANTIATE_TEST_SUITE_P(Isas, PoolKernel, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace linnet::testing
