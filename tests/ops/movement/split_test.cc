#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Tensor kRow = Tensor::of<float>({1, 2, 3, 4, 5, 6, 7});

TEST(Split, CutsIntoEqualParts) {
  const std::vector<Tensor> y = run_op({"Split", 13}, {Tensor::of<float>({1, 2, 3, 4, 5, 6})}, 3);
  expect_close(y[0], Tensor::of<float>({1, 2}));
  expect_close(y[1], Tensor::of<float>({3, 4}));
  expect_close(y[2], Tensor::of<float>({5, 6}));
}

TEST(Split, MakesTheLastPartSmallerFromOpset18On) {
  const std::vector<Tensor> y = run_op({"Split", 18, {{"num_outputs", int64_t{4}}}}, {kRow}, 4);
  expect_close(y[0], Tensor::of<float>({1, 2}));
  expect_close(y[3], Tensor::of<float>({7}));
  expect_error(ErrorKind::kShape, "dim 7 does not split into 4", [] { run_op({"Split", 13}, {kRow}, 4); });
  expect_error(ErrorKind::kModel, "num_outputs is 3", [] {
    run_op({"Split", 18, {{"num_outputs", int64_t{3}}}}, {kRow}, 4);
  });
}

TEST(Split, FollowsLengthsFromInputOrAttribute) {
  const Tensor x = Tensor::of(Shape{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const Tensor lengths = Tensor::of<int64_t>({2, 0, 1});
  const std::vector<int64_t> attribute{2, 0, 1};
  for (const std::vector<Tensor>& y : {run_op({"Split", 13, {{"axis", int64_t{-1}}}}, {x, lengths}, 3),
                                       run_op({"Split", 2, {{"axis", int64_t{1}}, {"split", attribute}}}, {x}, 3),
                                       run_op({"Split", 1, {{"axis", int64_t{1}}, {"split", attribute}}}, {x}, 3)}) {
    expect_close(y[0], Tensor::of(Shape{2, 2}, std::vector<float>{1, 2, 4, 5}));
    expect_close(y[1], Tensor(DType::kFloat32, {2, 0}));
    expect_close(y[2], Tensor::of(Shape{2, 1}, std::vector<float>{3, 6}));
  }
}

TEST(Split, RefusesLengthsThatDoNotAddUp) {
  const auto split = [](const std::vector<int64_t>& lengths) { run_op({"Split", 13}, {kRow, Tensor::of(lengths)}, 2); };
  expect_error(ErrorKind::kShape, "add up to dim 7, got 6", [&] { split({3, 3}); });
  expect_error(ErrorKind::kShape, "must not be negative, got -1", [&] { split({8, -1}); });
  expect_error(ErrorKind::kShape, "one length per output (2), got 3", [&] { split({3, 3, 1}); });
}

TEST(Split, TakesLengthsOfTheInputsDtypeInOpset1) {
  const OpCase op{"Split", 1, {{"axis", int64_t{0}}}};
  const std::vector<Tensor> y = run_op(op, {kRow, Tensor::of<float>({2, 5})}, 2, {1});
  expect_close(y[0], Tensor::of<float>({1, 2}));
  expect_close(y[1], Tensor::of<float>({3, 4, 5, 6, 7}));
  const Tensor half = cast_to(kRow, DType::kFloat16);
  expect_close(run_op(op, {half, cast_to(Tensor::of<float>({6, 1}), DType::kFloat16)}, 2)[1],
               cast_to(Tensor::of<float>({7}), DType::kFloat16));
}

TEST(Split, TakesLengthsFromTheAttributeWhereOpset1HasBoth) {
  const OpCase op{"Split", 1, {{"axis", int64_t{0}}, {"split", std::vector<int64_t>{3, 4}}}};
  expect_close(run_op(op, {kRow, Tensor::of<float>({2, 5})}, 2)[0], Tensor::of<float>({1, 2, 3}));
}

}  // namespace
}  // namespace linnet::testing
