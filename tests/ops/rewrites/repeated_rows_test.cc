#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Returns the operators for x plus rows of a table at indices that are repeated to `shape`. other: the shape of the
/// other operand of Add.
std::string ops_of_sum(const Shape& other, const Shape& indices, const std::vector<int64_t>& shape, bool first,
                       int64_t axis = 0) {
  GraphBuilder b;
  const ValueId table = b.input("table", Shape{6, 6}), x = b.input("x", other);
  const ValueId i = b.input("i", Fact(DType::kInt64, indices));
  const ValueId rows = b.op("Gather", {table, b.op("Expand", {i, b.constant(Tensor::of(shape))})}, {{"axis", axis}});
  b.output(first ? b.op("Add", {rows, x}) : b.op("Add", {x, rows}));
  std::vector<int64_t> taken(size_t(indices.elements()));
  for (size_t k = 0; k < taken.size(); ++k) taken[k] = int64_t(k * 5 % 6);
  expect_unchanged(b, {random_tensor({6, 6}, 1), random_tensor(other, 2), Tensor::of<int64_t>(indices, taken)});
  return optimized_ops(b);
}

TEST(RepeatGatheredRowsLate, TakesRowsOnceForABatch) {
  EXPECT_EQ(ops_of_sum({3, 4, 6}, {1, 4}, {3, 4}, false), "Gather Add");
  EXPECT_EQ(ops_of_sum({3, 4, 6}, {1, 4}, {3, 4}, true), "Gather Add");
  EXPECT_EQ(ops_of_sum({3, 4, 6}, {4}, {3, 4}, true), "Gather Add");
  EXPECT_EQ(ops_of_sum({3, 4, 6}, {}, {3, 4}, true), "Gather Add");
}

TEST(RepeatGatheredRowsLate, NotWhereTheSumWouldBeSmaller) {
  EXPECT_EQ(ops_of_sum({1, 4, 6}, {1, 4}, {3, 4}, false), "Expand Gather Add");
  EXPECT_EQ(ops_of_sum({4, 6}, {1, 4}, {3, 4}, true), "Expand Gather Add");
}

TEST(RepeatGatheredRowsLate, NotAlongOtherAxes) {
  EXPECT_EQ(ops_of_sum({6, 3, 4}, {1, 4}, {3, 4}, false, 1), "Expand Gather Add");
}

}  // namespace
}  // namespace linnet::testing
