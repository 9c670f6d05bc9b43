#include "linnet/did_you_mean.h"

#include <gtest/gtest.h>

#include <vector>

#include "linnet/error.h"

namespace linnet::testing {
namespace {

const std::vector<std::string> kNames{"Conv", "MatMul", "Relu", "Gelu", "Add"};

TEST(DidYouMean, NamesWhatIsAtMostTwoLettersAway) {
  EXPECT_EQ(did_you_mean("Cnov", kNames), "; did you mean 'Conv'?");
  EXPECT_EQ(did_you_mean("MatMull", kNames), "; did you mean 'MatMul'?");
  EXPECT_EQ(did_you_mean("atMl", kNames), "; did you mean 'MatMul'?");
  EXPECT_EQ(did_you_mean("tMl", kNames), "");
}

TEST(DidYouMean, TakesTheNearest) {
  EXPECT_EQ(did_you_mean("Gelo", kNames), "; did you mean 'Gelu'?");
  EXPECT_EQ(did_you_mean("elu", kNames), "; did you mean 'Relu'?");
}

TEST(DidYouMean, CapitalsCountAsSmallLetters) { EXPECT_EQ(did_you_mean("MATMUL", kNames), "; did you mean 'MatMul'?"); }

TEST(DidYouMean, NamesOfOtherLettersAreNotSimilar) {
  const std::vector<std::string> short_names{"x", "y", "ab"};
  EXPECT_EQ(did_you_mean("z", short_names), "");
  EXPECT_EQ(did_you_mean("cd", short_names), "");
  EXPECT_EQ(did_you_mean("", short_names), "");
  EXPECT_EQ(did_you_mean("ac", short_names), "; did you mean 'ab'?");
}

TEST(DidYouMean, LongNamesTakeTimeThatGrowsWithTheirLength) {
  std::string known(1 << 20, 'a'), similar = known;
  known.back() = 'b';
  similar.front() = 'b';
  const std::vector<std::string> names{known};
  EXPECT_EQ(did_you_mean(similar, names), str("; did you mean '", known, "'?"));
  EXPECT_EQ(did_you_mean(std::string(1 << 20, 'b'), names), "");
}

}  // namespace
}  // namespace linnet::testing
