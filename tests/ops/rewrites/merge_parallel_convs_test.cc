#include <gtest/gtest.h>

#include "run/model_graph.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kChannels = 8;
const Shape kBranchedImage{2, kChannels, 9, 7};

/// Blocks of several branches over one input, whose sum is the output.
class ParallelConvs : public ::testing::Test {
 protected:
  ValueId conv(const Shape& w, const Ints& pads, int64_t groups = 1, const Attributes& others = {}) {
    Attributes attributes{{"pads", pads}, {"group", groups}};
    attributes.insert(others.begin(), others.end());
    return b_.op("Conv", {x_, b_.constant(random_tensor(w, ++seed_)), b_.constant(random_tensor({w[0]}, ++seed_))},
                 attributes);
  }
  ValueId batch_norm() {
    const auto values = [&](float low) { return b_.constant(random_uniform({kChannels}, low, 2.f, ++seed_)); };
    return b_.op("BatchNormalization", {x_, values(-2.f), values(-2.f), values(-2.f), values(0.5f)});
  }
  ValueId sum(ValueId a, ValueId b) { return b_.op("Add", {a, b}); }

  /// Returns the number of Convs after optimisation.
  int convs_of(ValueId y) {
    b_.output(b_.op("Relu", {y}));
    expect_unchanged(b_, {random_tensor(kBranchedImage)});
    return count_ops(b_.model(), "Conv", "linnet");
  }

  GraphBuilder b_;
  ValueId x_ = b_.input("x", kBranchedImage);
  unsigned seed_ = 0;
};

TEST_F(ParallelConvs, RepVggBlocksAreOne) {
  const ValueId both =
      sum(conv({kChannels, kChannels, 1, 1}, {0, 0, 0, 0}), conv({kChannels, kChannels, 3, 3}, {1, 1, 1, 1}));
  EXPECT_EQ(convs_of(sum(both, batch_norm())), 1);
}

TEST_F(ParallelConvs, ManyOfOneSizeAreOne) {
  ValueId y = conv({5, kChannels, 1, 1}, {0, 0, 0, 0});
  for (int i = 0; i < 3; ++i) y = sum(y, conv({5, kChannels, 1, 1}, {0, 0, 0, 0}));
  EXPECT_EQ(convs_of(y), 1);
}

TEST_F(ParallelConvs, DepthwiseBranchesAreOne) {
  const ValueId scale = sum(conv({kChannels, 1, 1, 1}, {0, 0, 0, 0}, kChannels), batch_norm());
  EXPECT_EQ(convs_of(sum(scale, conv({kChannels, 1, 3, 3}, {1, 1, 1, 1}, kChannels))), 1);
}

TEST_F(ParallelConvs, WindowsOfOneLineLieInASquare) {
  const ValueId lines = sum(conv({6, kChannels, 3, 3}, {1, 1, 1, 1}), conv({6, kChannels, 1, 3}, {0, 1, 0, 1}));
  EXPECT_EQ(convs_of(sum(lines, conv({6, kChannels, 3, 1}, {1, 0, 1, 0}))), 1);
}

TEST_F(ParallelConvs, MoreGroupsLieInFewer) {
  EXPECT_EQ(convs_of(sum(conv({12, 4, 3, 3}, {1, 1, 1, 1}, 2), conv({12, 2, 1, 1}, {0, 0, 0, 0}, 4))), 1);
}

TEST_F(ParallelConvs, WindowsOffTheMiddleStridesAndDilations) {
  const Attributes apart{{"strides", Ints{2, 1}}, {"dilations", Ints{2, 2}}};
  const ValueId whole = conv({6, kChannels, 3, 3}, {2, 2, 2, 2}, 1, apart);
  EXPECT_EQ(convs_of(sum(whole, conv({6, kChannels, 2, 2}, {2, 0, 0, 2}, 1, apart))), 1);
}

TEST_F(ParallelConvs, NotWhereAWindowBeginsBetweenElements) {
  const Attributes apart{{"dilations", Ints{2, 2}}};
  const ValueId whole = conv({6, kChannels, 3, 3}, {2, 2, 2, 2}, 1, apart);
  EXPECT_EQ(convs_of(sum(whole, conv({6, kChannels, 3, 3}, {1, 1, 1, 1}))), 2);
}

TEST_F(ParallelConvs, NotWhereNoWindowHoldsTheOther) {
  EXPECT_EQ(convs_of(sum(conv({6, kChannels, 1, 5}, {0, 2, 0, 2}), conv({6, kChannels, 3, 3}, {1, 1, 1, 1}))), 2);
}

TEST_F(ParallelConvs, NotWhereTheWindowReachesOut) {
  EXPECT_EQ(convs_of(sum(conv({6, kChannels, 3, 3}, {2, 1, 0, 1}), conv({6, kChannels, 2, 1}, {0, 0, 1, 0}))), 2);
}

TEST_F(ParallelConvs, NotWhereLargerGroupsLieInSmaller) {
  const ValueId depthwise = conv({kChannels, 1, 3, 3}, {1, 1, 1, 1}, kChannels);
  EXPECT_EQ(convs_of(sum(depthwise, conv({kChannels, kChannels, 1, 1}, {0, 0, 0, 0}))), 2);
}

TEST_F(ParallelConvs, NotOfAnotherInput) {
  const ValueId first = conv({kChannels, kChannels, 3, 3}, {1, 1, 1, 1});
  x_ = b_.op("Tanh", {x_});
  EXPECT_EQ(convs_of(sum(first, conv({kChannels, kChannels, 3, 3}, {1, 1, 1, 1}))), 2);
}

TEST_F(ParallelConvs, NotWhereOneIsReadElsewhere) {
  const ValueId first = conv({kChannels, kChannels, 3, 3}, {1, 1, 1, 1});
  b_.output(first);
  EXPECT_EQ(convs_of(sum(first, conv({kChannels, kChannels, 3, 3}, {1, 1, 1, 1}))), 2);
}

TEST_F(ParallelConvs, NotWhereOneIsBroadcast) {
  const Attributes strides{{"strides", Ints{9, 7}}};
  const ValueId first = conv({6, kChannels, 1, 1}, {0, 0, 0, 0}, 1, strides);
  EXPECT_EQ(convs_of(sum(first, conv({6, kChannels, 1, 1}, {0, 0, 0, 0}))), 2);
}

TEST_F(ParallelConvs, NotByWeightsThatAreNoConstants) {
  const Shape w{6, kChannels, 1, 1};
  const ValueId other = b_.op("Conv", {x_, b_.input("w", w)});
  b_.output(sum(other, conv(w, {0, 0, 0, 0})));
  EXPECT_EQ(count_ops(b_.model(), "Conv", "linnet"), 2);
}

}  // namespace
}  // namespace linnet::testing
