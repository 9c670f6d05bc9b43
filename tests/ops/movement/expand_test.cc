#include <gtest/gtest.h>

#include "linnet/registry.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

TEST(Expand, BroadcastsInBothDirections) {
  const Tensor column = Tensor::of(Shape{3, 1}, Floats{1, 2, 3});
  const auto expand = [](const Tensor& x, const Ints& shape) {
    return run_op({"Expand", 13}, {x, Tensor::of(shape)})[0];
  };
  expect_close(expand(column, {3, 4}), Tensor::of(Shape{3, 4}, Floats{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  expect_close(expand(column, {2, 1, 1}), Tensor::of(Shape{2, 3, 1}, Floats{1, 2, 3, 1, 2, 3}));
  expect_close(expand(Tensor::of<float>({1, 2}), {2, 2}), Tensor::of(Shape{2, 2}, Floats{1, 2, 1, 2}));
  expect_close(expand(Tensor::scalar(std::string("ab")), {2}), Tensor::of<std::string>({"ab", "ab"}));
  EXPECT_EQ(expand(column, {3, 0}).shape(), (Shape{3, 0}));
  expect_close(expand(column, {1}), column);
  expect_error(ErrorKind::kShape, "dims 3 and 2 cannot be broadcast", [&] { expand(column, {2, 4}); });
}

TEST(Expand, KnowsItsRankFromTheLengthOfAnUnknownShape) {
  const Fact x(DType::kFloat32, Dims{Dim("N"), 3});
  const auto rank = [&](const Fact& shape) {
    const Registry registry = standard_registry();
    const auto y = registry.create({.op_type = "Expand", .opset = 13})->infer(std::vector<Fact>{x, shape});
    return y[0].has_rank() ? y[0].rank() : -1;
  };
  EXPECT_EQ(rank(Fact(DType::kInt64, Dims{4})), 4);
  EXPECT_EQ(rank(Fact(DType::kInt64, Dims{1})), 2);
  EXPECT_EQ(rank(Fact(DType::kInt64, Dims{Dim()})), -1);
  expect_error(ErrorKind::kLimit, "rank 17", [&] { rank(Fact(DType::kInt64, Dims{17})); });
}

TEST(Tile, RepeatsAlongEachAxis) {
  const Tensor x = Tensor::of(Shape{2, 2}, Floats{0, 1, 2, 3});
  const auto tile = [&](const Ints& repeats) { return run_op({"Tile", 13}, {x, Tensor::of(repeats)})[0]; };
  expect_close(tile({2, 2}), Tensor::of(Shape{4, 4}, Floats{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3}));
  expect_close(tile({1, 3}), Tensor::of(Shape{2, 6}, Floats{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3}));
  expect_close(tile({1, 1}), x);
  EXPECT_EQ(tile({0, 2}).shape(), (Shape{0, 4}));
  expect_error(ErrorKind::kShape, "one value per axis", [&] { tile({2}); });
  expect_error(ErrorKind::kShape, "must not be negative, got -1", [&] { tile({2, -1}); });
}

TEST(Tile, TakesTilesAndAxisInOpset1) {
  const Tensor x = Tensor::of(Shape{2, 2}, Floats{0, 1, 2, 3});
  expect_close(run_op({"Tile", 1}, {x, Tensor::scalar(2.0f), Tensor::scalar(1.0f)})[0],
               Tensor::of(Shape{2, 4}, Floats{0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST(Tile, AgreesWithRemaindersForLargeTensors) {
  const Shape shape{5, 1, 301};
  std::vector<uint8_t> values(size_t(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = uint8_t(i * 31);
  const Tensor x = Tensor::of(shape, values);
  const Tensor y = run_op({"Tile", 13}, {x, Tensor::of<int64_t>({3, 50, 7})})[0];
  ASSERT_EQ(y.shape(), (Shape{15, 50, 2107}));
  int64_t wrong = 0;
  for (int64_t i = 0; i < y.size(); ++i) {
    wrong += y.data<uint8_t>()[i] != values[size_t(i / 2107 / 50 % 5 * 301 + i % 2107 % 301)];
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace linnet::testing
