#include "graph/node_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace linnet::testing {
namespace {

void expect_order(const NodeOrder& order, const std::vector<int>& expected) {
  ASSERT_EQ(std::vector<int>(order), expected);
  EXPECT_EQ(std::vector<int>(order.rbegin(), order.rend()), std::vector<int>(expected.rbegin(), expected.rend()));
  EXPECT_EQ(order.size(), expected.size());
  for (size_t i = 1; i < expected.size(); ++i) {
    EXPECT_TRUE(order.before(expected[i - 1], expected[i]));
    EXPECT_FALSE(order.before(expected[i], expected[i - 1]));
  }
}

TEST(NodeOrder, IsThatOfAListThatIsEditedAlike) {
  std::mt19937 random(1);
  NodeOrder order;
  std::vector<int> expected;
  for (int node = 0; node < 2000; ++node) {
    const auto place = std::ptrdiff_t(random() % (expected.size() + 1));
    order.insert_behind(place == 0 ? NodeOrder::kFirst : expected[size_t(place) - 1], node);
    expected.insert(expected.begin() + place, node);
    if (random() % 3 > 0) continue;
    const auto gone = expected.begin() + std::ptrdiff_t(random() % expected.size());
    order.erase(*gone);
    expected.erase(gone);
  }
  expect_order(order, expected);
}

TEST(NodeOrder, TakesAnyNumberBehindOneNode) {
  NodeOrder order({0, 1});
  std::vector<int> expected{0, 1};
  for (int node = 2; node < 3000; ++node) {
    order.insert_behind(0, node);
    expected.insert(expected.begin() + 1, node);
  }
  expect_order(order, expected);
}

TEST(NodeOrder, NumbersMayComeBackAndCopiesAreApart) {
  NodeOrder order({2, 0, 1});
  const NodeOrder copy = order;
  order.erase(0);
  order.push_back(0);
  expect_order(order, {2, 1, 0});
  expect_order(copy, {2, 0, 1});
  EXPECT_EQ(copy[1], 0);
  EXPECT_TRUE(NodeOrder().empty());
}

}  // namespace
}  // namespace linnet::testing
