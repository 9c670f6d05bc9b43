#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

Tensor one_hot(const Tensor& indices, int64_t axis, int64_t opset = 11) {
  const std::vector<Tensor> inputs{indices, Tensor::scalar(3.7f), Tensor::of<int32_t>({2, 5})};
  return run_op({"OneHot", opset, {{"axis", axis}}}, inputs)[0];
}

TEST(OneHot, InsertsAnAxisOfItsDepth) {
  const Tensor rows = Tensor::of(Shape{2, 3}, std::vector<int32_t>{5, 2, 2, 2, 2, 5});
  expect_close(one_hot(Tensor::of<int64_t>({1, -3}), -1),
               Tensor::of(Shape{2, 3}, std::vector<int32_t>{2, 5, 2, 5, 2, 2}));
  expect_close(one_hot(Tensor::of<float>({0.9f, 2}), -1), rows);
  expect_close(one_hot(Tensor::of<int64_t>({1, 0}), 0),
               Tensor::of(Shape{3, 2}, std::vector<int32_t>{2, 5, 5, 2, 2, 2}));
  expect_close(one_hot(Tensor::scalar(uint8_t{2}), -1), Tensor::of<int32_t>({2, 2, 5}));
  const auto half = [](float x) { return cast_to(Tensor::scalar(x), DType::kFloat16); };
  expect_close(run_op({"OneHot", 11}, {half(-1), half(3), Tensor::of<int32_t>({2, 5})})[0],
               Tensor::of<int32_t>({2, 2, 5}));
}

TEST(OneHot, LeavesRowsOffOutsideItsRange) {
  const Tensor off = Tensor::of<int32_t>({2, 2, 2});
  expect_close(one_hot(Tensor::scalar(int64_t{3}), -1), off);
  expect_close(one_hot(Tensor::scalar(int64_t{-4}), -1), off);
  expect_close(one_hot(Tensor::scalar(int64_t{-1}), -1, 9), off);
  expect_close(one_hot(Tensor::scalar(1e30f), -1), off);
  expect_error(ErrorKind::kShape, "dim 0 of values", [] {
    run_op({"OneHot", 11}, {Tensor::of<int64_t>({0}), Tensor::scalar(int64_t{2}), Tensor::of<float>({1})});
  });
}

TEST(Trilu, KeepsOneTriangle) {
  const Tensor x = Tensor::of(Shape{3, 4}, Floats{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const int64_t upper : {0, 1}) {
    for (const int64_t k : Ints{INT64_MIN, -3, -1, 0, 1, 4, INT64_MAX}) {
      Tensor want = x.clone();
      for (int64_t i = 0; i < 12; ++i) {
        const auto distance = double(i % 4 - i / 4);
        if (upper ? distance < double(k) : distance > double(k)) want.data<float>()[i] = 0;
      }
      const OpCase op{"Trilu", 14, {{"upper", upper}}};
      expect_close(run_op(op, {x, Tensor::scalar(k)})[0], want);
      if (k == 0) expect_close(run_op(op, {x})[0], want);
    }
  }
}

TEST(Trilu, TreatsEachMatrixAlike) {
  const Tensor x = Tensor::of(Shape{2, 2, 2}, std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h"});
  expect_close(run_op({"Trilu", 14}, {x})[0],
               Tensor::of(Shape{2, 2, 2}, std::vector<std::string>{"a", "b", "", "d", "e", "f", "", "h"}));
  EXPECT_EQ(run_op({"Trilu", 14}, {Tensor(DType::kFloat32, {2, 0, 3})})[0].shape(), (Shape{2, 0, 3}));
}

TEST(EyeLike, PutsOnesOnADiagonal) {
  const auto eye = [](int64_t k, const Tensor& x = Tensor(DType::kInt32, {2, 3})) {
    return run_op({"EyeLike", 9, {{"k", k}, {"dtype", int64_t{1}}}}, {x})[0];
  };
  expect_close(eye(0), Tensor::of(Shape{2, 3}, Floats{1, 0, 0, 0, 1, 0}));
  expect_close(eye(1), Tensor::of(Shape{2, 3}, Floats{0, 1, 0, 0, 0, 1}));
  expect_close(eye(2), Tensor::of(Shape{2, 3}, Floats{0, 0, 1, 0, 0, 0}));
  expect_close(eye(-1), Tensor::of(Shape{2, 3}, Floats{0, 0, 0, 1, 0, 0}));
  for (const int64_t k : {INT64_MIN, int64_t{-2}, int64_t{3}, INT64_MAX}) {
    expect_close(eye(k), Tensor::of(Shape{2, 3}, Floats(6, 0)));
  }
  expect_close(run_op({"EyeLike", 9}, {Tensor(DType::kBool, {1, 2})})[0],
               Tensor::of(Shape{1, 2}, std::vector<bool>{true, false}));
}

TEST(ReverseSequence, FollowsTheExamplesOfTheSpecification) {
  const Tensor time_first = Tensor::of(Shape{4, 4}, Floats{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
  expect_close(run_op({"ReverseSequence", 10}, {time_first, Tensor::of<int64_t>({4, 3, 2, 1})})[0],
               Tensor::of(Shape{4, 4}, Floats{3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15}));
  const OpCase batch_first{"ReverseSequence", 10, {{"time_axis", int64_t{1}}, {"batch_axis", int64_t{0}}}};
  const Tensor x = Tensor::of(Shape{2, 3, 2}, Floats{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expect_close(run_op(batch_first, {x, Tensor::of<int64_t>({0, 3})})[0],
               Tensor::of(Shape{2, 3, 2}, Floats{0, 1, 2, 3, 4, 5, 10, 11, 8, 9, 6, 7}));
  expect_error(ErrorKind::kShape, "sequence_lens must be in [0,3], got 4", [&] {
    run_op(batch_first, {x, Tensor::of<int64_t>({0, 4})});
  });
}

TEST(BitCast, TakesBitsForAnotherDtype) {
  const Tensor bits = run_op({"BitCast", 26, {{"to", int64_t{6}}}}, {Tensor::of<float>({1, -0.0f})})[0];
  expect_close(bits, Tensor::of<int32_t>({0x3f800000, INT32_MIN}));
  expect_error(ErrorKind::kType, "cannot be taken for", [] {
    run_op({"BitCast", 26, {{"to", int64_t{7}}}}, {Tensor::of<float>({1})});
  });
}

}  // namespace
}  // namespace linnet::testing
