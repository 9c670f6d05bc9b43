#include "tensor/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace linnet::testing {
namespace {

constexpr Interval kIntervals[] = {{0, 0},         {-3, 2},         {1, 4},         {-5, -2},
                                   {0, INT64_MAX}, {INT64_MIN, -1}, {2, INT64_MAX}, {}};

/// Returns the numbers in an interval. Small numbers replace missing bounds.
std::vector<int64_t> members(Interval x) {
  std::vector<int64_t> result;
  for (int64_t i = std::max<int64_t>(x.low, -9); i <= std::min<int64_t>(x.high, 9); ++i) result.push_back(i);
  return result;
}

bool has(Interval x, int64_t number) { return x.low <= number && number <= x.high; }

TEST(Interval, ResultsHoldWhatNumbersGive) {
  for (const Interval a : kIntervals) {
    for (const Interval b : kIntervals) {
      for (const int64_t x : members(a)) {
        for (const int64_t y : members(b)) {
          EXPECT_TRUE(has(a + b, x + y));
          EXPECT_TRUE(has(a * b, x * y));
          EXPECT_TRUE(has(smaller(a, b), std::min(x, y)));
          EXPECT_TRUE(has(larger(a, b), std::max(x, y)));
          if (b.low >= 1) {
            EXPECT_TRUE(has(floor_quotient(a, b), floor_quotient(x, y)));
          }
        }
      }
    }
    for (const int64_t x : members(a)) {
      EXPECT_TRUE(has(power(a, 2), x * x));
      EXPECT_TRUE(has(power(a, 3), x * x * x));
    }
  }
}

TEST(Interval, ResultsAreNarrow) {
  EXPECT_EQ((Interval{1, 4} + Interval{-3, 2}), (Interval{-2, 6}));
  EXPECT_EQ((Interval{1, 4} * Interval{-3, 2}), (Interval{-12, 8}));
  EXPECT_EQ((Interval{2, INT64_MAX} * Interval{2, INT64_MAX}), (Interval{4, INT64_MAX}));
  EXPECT_EQ(power({-3, 2}, 2), (Interval{0, 9}));
  EXPECT_EQ(floor_quotient(Interval{-7, 7}, Interval{2, 4}), (Interval{-4, 3}));
  EXPECT_EQ(floor_quotient(Interval{5, 5}, Interval{1, INT64_MAX}), (Interval{0, 5}));
}

TEST(Interval, BeyondSixtyFourBitsThereIsNoBound) {
  const Interval large{INT64_MAX / 2, INT64_MAX / 2 + 5};
  EXPECT_EQ(large + large, (Interval{INT64_MAX - 1, INT64_MAX}));
  EXPECT_EQ((large + large + large).low, INT64_MIN);
  EXPECT_EQ((large * large).high, INT64_MAX);
  EXPECT_EQ((large * Interval{-3, -3}).low, INT64_MIN);
}

}  // namespace
}  // namespace linnet::testing
