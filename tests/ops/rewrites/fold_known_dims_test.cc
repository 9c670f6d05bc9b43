#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Fact kX(DType::kFloat32, Dims{Dim("N"), 3, Dim("M"), 5});

Tensor int_tensor(const std::vector<int64_t>& values) { return Tensor::of(values); }

/// Returns x times the result of `dims` for its shape, as PyTorch scales scores by the width of heads.
template <class F>
GraphBuilder scaled_by_dims(const F& dims, const Attributes& shape = {}) {
  GraphBuilder b;
  const ValueId x = b.input("x", kX);
  const ValueId size = dims(b, b.op("Shape", {x}, shape));
  b.output(b.op("Mul", {x, b.op("Sqrt", {b.op("Cast", {size}, {{"to", int64_t{1}}})})}));
  return b;
}

void expect_folded(const GraphBuilder& b) {
  EXPECT_EQ(optimized_ops(b), "Mul");
  expect_unchanged(b, {random_tensor({2, 3, 4, 5})});
}

TEST(FoldKnownDims, ASliceOfAShape) {
  for (const auto& range : std::vector<std::pair<int64_t, int64_t>>{{-1, INT64_MAX}, {3, 4}, {-1, 9}}) {
    expect_folded(scaled_by_dims([&](GraphBuilder& b, ValueId shape) {
      return b.op("Slice", {shape, b.constant(int_tensor({range.first})), b.constant(int_tensor({range.second}))});
    }));
    expect_folded(scaled_by_dims([&](GraphBuilder& b, ValueId shape) {
      const ValueId zero = b.constant(int_tensor({0})), one = b.constant(int_tensor({1}));
      return b.op("Slice",
                  {shape, b.constant(int_tensor({range.first})), b.constant(int_tensor({range.second})), zero, one});
    }));
  }
}

TEST(FoldKnownDims, AnElementOfAShapeAndOfItsPart) {
  const auto gather = [](int64_t index) {
    return [=](GraphBuilder& b, ValueId shape) { return b.op("Gather", {shape, b.constant(Tensor::scalar(index))}); };
  };
  for (const int64_t index : {1, 3, -1, -3}) expect_folded(scaled_by_dims(gather(index)));
  for (const int64_t index : {0, 2, -3}) expect_folded(scaled_by_dims(gather(index), {{"start", int64_t{1}}}));
}

TEST(FoldKnownDims, WhatHoldsAnOpenDimStays) {
  EXPECT_NE(optimized_ops(scaled_by_dims([](GraphBuilder& b, ValueId shape) {
              return b.op("Slice", {shape, b.constant(int_tensor({2})), b.constant(int_tensor({3}))});
            })),
            "Mul");
  EXPECT_NE(optimized_ops(scaled_by_dims([](GraphBuilder& b, ValueId shape) {
              return b.op("Gather", {shape, b.constant(Tensor::scalar(int64_t{-2}))});
            })),
            "Mul");
}

/// A Slice with steps is not a range.
TEST(FoldKnownDims, StepsAreLeftToTheOperator) {
  const GraphBuilder b = scaled_by_dims([](GraphBuilder& g, ValueId shape) {
    const ValueId axis = g.constant(int_tensor({0})), back = g.constant(int_tensor({-1}));
    return g.op("Slice", {shape, back, g.constant(int_tensor({2})), axis, back});
  });
  expect_unchanged(b, {random_tensor({2, 3, 4, 5})});
}

}  // namespace
}  // namespace linnet::testing
