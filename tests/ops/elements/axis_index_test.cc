#include "elements/axis_index.h"

#include <gtest/gtest.h>

#include <limits>

namespace linnet::testing {
namespace {

template <class T>
class AxisIndex : public ::testing::Test {};

using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AxisIndex, Floats);

TYPED_TEST(AxisIndex, IsTheWholePart) {
  constexpr int64_t kSize = 5;
  for (int64_t quarter = 0; quarter < 4 * kSize; ++quarter) {
    EXPECT_EQ(axis_index(TypeParam(quarter) / 4, kSize), quarter / 4);
  }
}

TYPED_TEST(AxisIndex, OfPositionsBeyondTheAxisIsTheNearest) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const int64_t size : {int64_t{1}, int64_t{7}, int64_t{1} << 40}) {
    for (const TypeParam below : {TypeParam(-0.5), Limits::lowest(), -Limits::infinity(), Limits::quiet_NaN()}) {
      EXPECT_EQ(axis_index(below, size), 0);
    }
    for (const TypeParam beyond : {TypeParam(size), Limits::max(), Limits::infinity()}) {
      EXPECT_EQ(axis_index(beyond, size), size - 1);
    }
  }
}

// Tests sizes that the type rounds down and up.
TYPED_TEST(AxisIndex, StaysBelowSizesThatTheTypeDoesNotHold) {
  constexpr int64_t kExact = int64_t{1} << std::numeric_limits<TypeParam>::digits;
  for (int64_t size = kExact - 2; size < kExact + 10; ++size) {
    EXPECT_LT(axis_index(TypeParam(size - 1), size), size);
    EXPECT_EQ(axis_index(TypeParam(size + 4), size), size - 1);
  }
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(axis_index(TypeParam(kMost), kMost), kMost - 1);
}

}  // namespace
}  // namespace linnet::testing
