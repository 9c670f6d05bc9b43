#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

std::string ops_of_conv(const Shape& x, const Shape& w, int64_t groups) {
  GraphBuilder b;
  const ValueId bias = b.constant(random_tensor({w[0]}, 3));
  b.output(b.op("Conv", {b.input("x", x), b.constant(random_tensor(w, 2)), bias}, {{"group", groups}}));
  expect_unchanged(b, {random_tensor(x)});
  return optimized_ops(b);
}

TEST(RepeatDepthwiseChannels, AFewFiltersOfEachChannel) {
  const std::string repeated = "Transpose Gather +Conv Transpose";
  EXPECT_EQ(ops_of_conv({2, 6, 8, 7}, {12, 1, 3, 3}, 6), repeated);
  EXPECT_EQ(ops_of_conv({1, 20, 30}, {60, 1, 5}, 20), repeated);
  EXPECT_EQ(ops_of_conv({1, 3, 4, 5, 6}, {12, 1, 2, 1, 2}, 3), repeated);
}

TEST(RepeatDepthwiseChannels, NotWhereResultsOfAChannelFillAVector) {
  EXPECT_EQ(ops_of_conv({1, 3, 8, 7}, {15, 1, 3, 3}, 3), "Transpose +Conv Transpose");
}

TEST(RepeatDepthwiseChannels, NotOfOneFilterForAChannel) {
  EXPECT_EQ(ops_of_conv({1, 6, 8, 7}, {6, 1, 3, 3}, 6), "Transpose +Conv Transpose");
}

TEST(RepeatDepthwiseChannels, NotOfGroupsOfSeveralChannels) {
  EXPECT_EQ(ops_of_conv({1, 6, 8, 7}, {6, 2, 3, 3}, 3), "Transpose +Conv Transpose");
}

}  // namespace
}  // namespace linnet::testing
