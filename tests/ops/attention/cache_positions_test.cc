#include <gtest/gtest.h>

#include <limits>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kMostRows = std::numeric_limits<int64_t>::max(), kLeastRows = std::numeric_limits<int64_t>::min();

/// Two samples in a cache of eight rows; each test changes one input.
struct Positions {
  Tensor last = Tensor::of<int32_t>({4, 2}), total = Tensor::scalar(int32_t{5});
  Tensor length = Tensor::of<int64_t>({2}), past = Tensor::of<int64_t>({8});

  std::vector<Tensor> run(const std::vector<int>& constants = {2}) const {
    return run_op({"CachePositions", 1, {}, "linnet"}, {last, total, length, past}, 3, constants);
  }
  void refused(ErrorKind kind, const std::string& text) const {
    for (const std::vector<int>& constants : {std::vector<int>{}, {2}, {0, 1, 2, 3}}) {
      expect_error(kind, text, [&] { run(constants); });
    }
  }
};

TEST(CachePositions, CountsTheRowsOfTheQueryFromTheTokensBefore) {
  const std::vector<Tensor> y = Positions().run();
  EXPECT_TRUE(identical(y[0], Tensor::of<int64_t>({5, 3})));
  EXPECT_TRUE(identical(y[1], Tensor::of<int64_t>({3, 1})));
  EXPECT_TRUE(identical(y[2], Tensor::of<int64_t>({2, 2}, {3, 4, 1, 2})));
}

TEST(CachePositions, RefusesNumbersThatAreNotOne) {
  Positions total, length, past;
  total.total = Tensor::of<int32_t>({});
  total.refused(ErrorKind::kShape, "total_sequence_length must have one element");
  length.length = Tensor::of<int64_t>({});
  length.refused(ErrorKind::kShape, "sequence_length must have one element");
  past.past = Tensor::of<int64_t>({8, 8});
  past.refused(ErrorKind::kShape, "past_length must have one element");
}

TEST(CachePositions, RefusesLengthsThatMakeNoSense) {
  for (const int64_t value : {int64_t{-1}, kLeastRows}) {
    Positions length, past;
    length.length = Tensor::of<int64_t>({value});
    length.refused(ErrorKind::kShape, "sequence_length must not be negative");
    past.past = Tensor::of<int64_t>({value});
    past.refused(ErrorKind::kShape, "past_key");
  }
  Positions huge, last;
  huge.length = Tensor::of<int64_t>({kMostRows});
  huge.refused(ErrorKind::kLimit, "");
  last.last = Tensor::of<int32_t>({std::numeric_limits<int32_t>::min(), 2});
  last.refused(ErrorKind::kShape, "seqlens_k must be in [0,4]");
}

TEST(CachePositions, RefusesOtherTypes) {
  Positions length, past;
  length.length = Tensor::of<int32_t>({2});
  length.refused(ErrorKind::kType, "sequence_length must be int64");
  past.past = random_tensor({1});
  past.refused(ErrorKind::kType, "past_length must be int64");
}

}  // namespace
}  // namespace linnet::testing
