#include "quantizer/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

ValueRange range_of(const std::vector<float>& values) {
  ValueRange range;
  for (const float value : values) range.include({value, value});
  return range;
}

Histogram histogram_of(const std::vector<float>& values) {
  Histogram histogram(range_of(values));
  histogram.add(values);
  return histogram;
}

std::vector<float> normal_values(int64_t count) {
  const Tensor drawn = random_tensor({count});
  return {drawn.data<float>(), drawn.data<float>() + count};
}

TEST(Histogram, PercentileLeavesOutTheOutermostValues) {
  std::vector<float> values = normal_values(20000);
  const ValueRange range = histogram_of(values).percentile(99);
  std::sort(values.begin(), values.end());
  EXPECT_NEAR(range.low, values[100], 0.01);
  EXPECT_NEAR(range.high, values[19899], 0.01);
}

TEST(Histogram, AllPercentOfTheValuesAreTheWholeRange) {
  const std::vector<float> values = normal_values(1000);
  const ValueRange all = range_of(values), range = histogram_of(values).percentile(100);
  EXPECT_NEAR(range.low, all.low, 0.01);
  EXPECT_NEAR(range.high, all.high, 0.01);
}

// For example, a second run may sample other numbers than the first.
TEST(Histogram, TakesValuesFarBeyondItsRange) {
  Histogram histogram(range_of({-1e-38f, 1e-38f}));
  histogram.add(std::vector<float>{-3e38f, 3e38f, 3e38f});
  const ValueRange range = histogram.percentile(100);
  EXPECT_EQ(range.low, -1e-38f);
  EXPECT_EQ(range.high, 1e-38f);
}

TEST(Histogram, ZerosDoNotCount) {
  std::vector<float> values = normal_values(5000);
  const ValueRange without = histogram_of(values).percentile(98);
  values.insert(values.end(), 100000, 0.0f);
  const ValueRange with = histogram_of(values).percentile(98);
  EXPECT_EQ(with.low, without.low);
  EXPECT_EQ(with.high, without.high);
}

TEST(Histogram, RangesHoldZero) {
  const ValueRange positive = histogram_of({3, 4, 5}).percentile(50),
                   negative = histogram_of({-3, -4, -5}).percentile(50);
  EXPECT_EQ(positive.low, 0);
  EXPECT_GT(positive.high, 2);
  EXPECT_EQ(negative.high, 0);
  EXPECT_LT(negative.low, -2);
}

TEST(Histogram, EntropyClipsAnOutlierAndKeepsTheBulk) {
  std::vector<float> values = normal_values(40000);
  values.push_back(60);
  const ValueRange range = histogram_of(values).entropy();
  EXPECT_GT(range.high, 2.5);
  EXPECT_LT(range.high, 15);
  EXPECT_LT(range.low, -2.5);
}

TEST(Histogram, EntropyClipsAnOutlierOfValuesOfOneSignWhateverTheSign) {
  std::vector<float> values = normal_values(40000);
  for (float& value : values) value = std::abs(value);
  values.push_back(60);
  const ValueRange positive = histogram_of(values).entropy();
  EXPECT_EQ(positive.low, 0);
  EXPECT_GT(positive.high, 2.5);
  EXPECT_LT(positive.high, 15);
  for (float& value : values) value = -value;
  const ValueRange negative = histogram_of(values).entropy();
  EXPECT_EQ(negative.high, 0);
  EXPECT_FLOAT_EQ(negative.low, -positive.high);
}

TEST(Histogram, EntropyKeepsNarrowPeaks) {
  std::vector<float> values;
  for (int i = 0; i < 65536; ++i) values.push_back(float(i % 11 - 5) + 0.001f * float(i % 7));
  const ValueRange range = histogram_of(values).entropy();
  EXPECT_GT(range.high, 4.9);
  EXPECT_LT(range.low, -4.9);
}

TEST(Histogram, EntropyKeepsValuesThatAreSpreadEvenly) {
  std::vector<float> values;
  for (int i = 1; i <= 65536; ++i) values.push_back(float(i) / 65536);
  EXPECT_GT(histogram_of(values).entropy().high, 0.95);
}

TEST(Histogram, EntropyOfFewValuesClipsNone) {
  std::vector<float> values = normal_values(100);
  values.push_back(60);
  EXPECT_EQ(histogram_of(values).entropy().high, 60);
}

TEST(Histogram, NothingButZerosIsNoRange) {
  for (const ValueRange& range : {histogram_of({0, 0}).entropy(), histogram_of({0, 0}).percentile(99)}) {
    EXPECT_EQ(range.low, 0);
    EXPECT_EQ(range.high, 0);
  }
}

}  // namespace
}  // namespace linnet::testing
