#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;

Tensor einsum(const std::string& equation, const std::vector<Tensor>& inputs) {
  return run_op({"Einsum", 12, {{"equation", equation}}}, inputs)[0];
}

const Tensor kA = Tensor::of(Shape{2, 3}, Floats{1, 2, 3, 4, 5, 6});
const Tensor kB = Tensor::of(Shape{3, 2}, Floats{1, -1, 0, 2, 3, 1});

TEST(Einsum, TransposesSumsAndMultiplies) {
  expect_close(einsum("ij->ji", {kA}), Tensor::of(Shape{3, 2}, Floats{1, 4, 2, 5, 3, 6}));
  expect_close(einsum("ij->i", {kA}), Tensor::of<float>({6, 15}));
  expect_close(einsum("ij->", {kA}), Tensor::scalar(21.0f));
  expect_close(einsum("ij, jk -> ik", {kA, kB}), Tensor::of(Shape{2, 2}, Floats{10, 6, 22, 12}));
  expect_close(einsum("i,i", {Tensor::of<float>({1, 2}), Tensor::of<float>({3, 4})}), Tensor::scalar(11.0f));
  expect_close(einsum("i,j->ij", {Tensor::of<float>({1, 2}), Tensor::of<float>({3, 4})}),
               Tensor::of(Shape{2, 2}, Floats{3, 4, 6, 8}));
}

TEST(Einsum, OrdersAnImplicitOutputByLetters) {
  expect_close(einsum("ba", {kA}), Tensor::of(Shape{3, 2}, Floats{1, 4, 2, 5, 3, 6}));
  expect_close(einsum("bA", {kA}), Tensor::of(Shape{3, 2}, Floats{1, 4, 2, 5, 3, 6}));
}

TEST(Einsum, TakesDiagonals) {
  const Tensor x = Tensor::of(Shape{2, 2}, Floats{1, 2, 3, 4});
  expect_close(einsum("ii->i", {x}), Tensor::of<float>({1, 4}));
  expect_close(einsum("ii", {x}), Tensor::scalar(5.0f));
}

TEST(Einsum, BroadcastsItsEllipsis) {
  const Tensor x = random_tensor({4, 1, 2, 3}, 1), y = random_tensor({5, 3, 2}, 2);
  const Tensor got = einsum("...ij,...jk->...ik", {x, y});
  ASSERT_EQ(got.shape(), (Shape{4, 5, 2, 2}));
  Tensor want(DType::kFloat32, {4, 5, 2, 2});
  for (int64_t i = 0; i < want.size(); ++i) {
    const int64_t b = i / 20, c = i / 4 % 5, row = i / 2 % 2, column = i % 2;
    double sum = 0;
    for (int64_t j = 0; j < 3; ++j) {
      sum += double(x.data<float>()[b * 6 + row * 3 + j]) * double(y.data<float>()[c * 6 + j * 2 + column]);
    }
    want.data<float>()[i] = float(sum);
  }
  expect_close(got, want, 1e-6, 1e-6);
  expect_close(einsum("...ij,...jk", {x, y}), got);
  expect_close(einsum("...i->...", {kA}), Tensor::of<float>({6, 15}));
  expect_close(einsum("i...", {kA}), Tensor::of(Shape{3, 2}, Floats{1, 4, 2, 5, 3, 6}));
}

TEST(Einsum, MultipliesMoreOperandsOfOtherDtypes) {
  const Tensor x = Tensor::of<int32_t>({2, 3});
  expect_close(einsum("i,i,i->i", {x, x, x}), Tensor::of<int32_t>({8, 27}));
  expect_close(einsum("i,i,i,i,i,i,i,i,i,i->i", std::vector<Tensor>(10, x)), Tensor::of<int32_t>({1024, 59049}));
  const Tensor empty(DType::kFloat32, {0, 3});
  expect_close(einsum("ij->j", {empty}), Tensor::of<float>({0, 0, 0}));
}

TEST(Einsum, RefusesBadEquations) {
  for (const char* equation : {"i1->i", "i->k", "i->ii", "....->", "i-j"}) {
    expect_error(ErrorKind::kModel, "is not an equation", [&] { einsum(equation, {kA}); });
  }
  expect_error(ErrorKind::kShape, "operand 0 must have rank 1, got 2", [] { einsum("i->i", {kA}); });
  expect_error(ErrorKind::kShape, "cannot be broadcast", [] { einsum("ij,ij->ij", {kA, kB.reshaped({3, 2})}); });
}

}  // namespace
}  // namespace linnet::testing
