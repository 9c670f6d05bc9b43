#include "linnet/tensor.h"

#include <gtest/gtest.h>

#include <limits>

#include "linnet/fact.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

TEST(Shape, ChecksItsArithmetic) {
  const int64_t big = std::numeric_limits<int64_t>::max() / 2;
  expect_error(ErrorKind::kLimit, "overflow", [&] { Shape({big, 3}).elements(); });
  expect_error(ErrorKind::kShape, "negative dim -1", [] { Shape({2, -1}); });
  EXPECT_EQ(Shape({2, 0, 3}).elements(), 0);
  EXPECT_EQ(Shape({}).elements(), 1);
}

TEST(Shape, RefusesMoreThanTheLargestRank) {
  Shape shape;
  for (int i = 0; i < kMaxRank; ++i) shape.push_back(1);
  expect_error(ErrorKind::kLimit, "rank exceeds 16", [&] { shape.push_back(1); });
}

TEST(Shape, KeepsDimsOfAnyRankInCopiesAndMoves) {
  Shape few{2, 3}, many;
  for (int i = 0; i < kMaxRank; ++i) many.push_back(i + 1);
  const std::vector<int64_t> dims(many.begin(), many.end());
  Shape copy = many;
  EXPECT_EQ(copy, many);
  copy[kMaxRank - 1] = 99;
  EXPECT_EQ(many[kMaxRank - 1], kMaxRank);
  Shape moved = std::move(copy);
  moved = few;
  EXPECT_EQ(moved, Shape({2, 3}));
  moved = std::move(many);
  EXPECT_EQ(std::vector<int64_t>(moved.begin(), moved.end()), dims);
  few = moved;
  EXPECT_EQ(few, moved);
  few = Shape{4};
  few.push_back(5);
  EXPECT_EQ(few, Shape({4, 5}));
}

TEST(Shape, NormalizesAxes) {
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_EQ(normalize_axis(2, 3), 2);
  expect_error(ErrorKind::kShape, "axis 3 is out of range for rank 3", [] { normalize_axis(3, 3); });
  expect_error(ErrorKind::kShape, "axis -4", [] { normalize_axis(-4, 3); });
}

TEST(DType, PutsSubByteElementsWithoutGaps) {
  EXPECT_EQ(dtype_bytes(DType::kInt4, 5), 3u);
  EXPECT_EQ(dtype_bytes(DType::kUint2, 5), 2u);
  EXPECT_EQ(dtype_bytes(DType::kFloat64, 5), 40u);
  expect_error(ErrorKind::kLimit, "overflow", [] { dtype_bytes(DType::kFloat64, INT64_MAX / 4); });
}

TEST(DType, NamesRoundTrip) {
  for (int i = 1; i <= 26; ++i) EXPECT_EQ(dtype_from_name(dtype_name(DType(i))), DType(i));
  EXPECT_EQ(dtype_from_name("float"), DType::kFloat32);
  EXPECT_EQ(dtype_from_name("nothing"), DType::kUndefined);
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
  Tensor a = Tensor::of(std::vector<float>{1, 2, 3});
  Tensor shared = a, copy = a.clone();
  a.data<float>()[0] = 9;
  EXPECT_EQ(shared.data<float>()[0], 9);
  EXPECT_EQ(copy.data<float>()[0], 1);
}

TEST(Tensor, HoldsStrings) {
  const Tensor a = Tensor::of(std::vector<std::string>{"one", std::string(100, 'x')});
  EXPECT_TRUE(identical(a, a.clone()));
  EXPECT_FALSE(identical(a, Tensor::of(std::vector<std::string>{"one", "two"})));
}

TEST(Tensor, ChecksTypesAndShapes) {
  const Tensor a = Tensor::of(std::vector<float>{1, 2, 3});
  expect_error(ErrorKind::kType, "float32, not int64", [&] { a.data<int64_t>(); });
  expect_error(ErrorKind::kShape, "cannot reshape [3] to [2]", [&] { a.reshaped({2}); });
}

TEST(Fact, PrintsWhatIsKnown) {
  EXPECT_EQ(str(Fact(DType::kFloat32, Dims{Dim("N"), 3, Dim()})), "float32[N,3,?]");
  EXPECT_EQ(str(Fact(DType::kInt64, std::nullopt)), "int64");
}

TEST(Fact, GeneralizesToWhatBothShare) {
  const Fact a(DType::kFloat32, Shape{2, 3}), b(DType::kFloat32, Shape{4, 3});
  EXPECT_EQ(str(generalize(a, b)), "float32[?,3]");
  EXPECT_FALSE(compatible(a, b));
  EXPECT_TRUE(compatible(generalize(a, b), a));
  expect_error(ErrorKind::kType, "differ", [&] { generalize(a, Fact(DType::kInt64, Shape{2, 3})); });
}

}  // namespace
}  // namespace linnet::testing
