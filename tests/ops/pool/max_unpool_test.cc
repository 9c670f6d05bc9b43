#include <gtest/gtest.h>

#include <algorithm>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

TEST(MaxUnpool, UndoesMaxPool) {
  const Tensor x = random_uniform({2, 3, 6, 5}, 1, 2);
  const Attributes window{{"kernel_shape", Ints{2, 3}}, {"strides", Ints{2, 2}}};
  const auto pooled = run_op({"MaxPool", 12, window}, {x}, 2);
  const Tensor y = run_op({"MaxUnpool", 11, window}, {pooled[0], pooled[1]})[0];
  ASSERT_EQ(y.shape(), x.shape());
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t* indices = pooled[1].data<int64_t>();
    const bool found = std::find(indices, indices + pooled[1].size(), i) != indices + pooled[1].size();
    EXPECT_EQ(y.data<float>()[i], found ? x.data<float>()[i] : 0);
  }
}

TEST(MaxUnpool, PutsItsResultIntoAGivenShape) {
  const Tensor x = Tensor::of<float>({1, 1, 2}, {7, 8}), indices = Tensor::of<int64_t>({1, 1, 2}, {1, 2});
  const OpCase op{"MaxUnpool", 11, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}};
  expect_close(run_op(op, {x, indices})[0], Tensor::of<float>({1, 1, 4}, {0, 7, 8, 0}));
  expect_close(run_op(op, {x, indices, Tensor::of<int64_t>({1, 1, 5})})[0],
               Tensor::of<float>({1, 1, 5}, {0, 7, 8, 0, 0}));
  expect_close(run_op(op, {x, indices, Tensor::of<int64_t>({1, 1, 3})})[0], Tensor::of<float>({1, 1, 3}, {0, 7, 8}));
  const Tensor planes = x.reshaped({1, 2, 1}), first_and_last = Tensor::of<int64_t>({1, 2, 1}, {0, 3});
  expect_close(run_op(op, {planes, first_and_last, Tensor::of<int64_t>({1, 2, 3})})[0],
               Tensor::of<float>({1, 2, 3}, {7, 0, 0, 0, 8, 0}));
  expect_error(ErrorKind::kModel, "index", [&] { run_op(op, {x, indices, Tensor::of<int64_t>({1, 1, 2})}); });
  expect_error(ErrorKind::kModel, "index 4", [&] { run_op(op, {x, Tensor::of<int64_t>({1, 1, 2}, {4, 0})}); });
  expect_error(ErrorKind::kShape, "negative", [&] { run_op(op, {x, indices, Tensor::of<int64_t>({1, 1, -4})}); });
  expect_error(ErrorKind::kShape, "output_shape", [&] { run_op(op, {x, indices, Tensor::of<int64_t>({1, 5})}); });
  expect_error(ErrorKind::kShape, "shape of X", [&] { run_op(op, {x, Tensor::of<int64_t>({1, 1, 1}, {4})}); });
}

}  // namespace
}  // namespace linnet::testing
