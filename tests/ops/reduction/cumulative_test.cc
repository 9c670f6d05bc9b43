#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

OpCase cumulative(const char* op, bool exclusive, bool reverse) {
  return {op, 26, {{"exclusive", int64_t{exclusive}}, {"reverse", int64_t{reverse}}}};
}

TEST(CumSum, GoesForwardOrBackWithOrWithoutTheElement) {
  const Tensor x = Tensor::of<float>({1, 2, 3, 4}), axis = Tensor::scalar(int32_t{0});
  expect_close(run_op(cumulative("CumSum", false, false), {x, axis})[0], Tensor::of<float>({1, 3, 6, 10}));
  expect_close(run_op(cumulative("CumSum", true, false), {x, axis})[0], Tensor::of<float>({0, 1, 3, 6}));
  expect_close(run_op(cumulative("CumSum", false, true), {x, axis})[0], Tensor::of<float>({10, 9, 7, 4}));
  expect_close(run_op(cumulative("CumSum", true, true), {x, axis})[0], Tensor::of<float>({9, 7, 4, 0}));
  expect_close(run_op(cumulative("CumProd", true, true), {x, axis})[0], Tensor::of<float>({24, 12, 4, 1}));
  expect_close(run_op(cumulative("CumProd", false, false), {x, axis})[0], Tensor::of<float>({1, 2, 6, 24}));
}

TEST(CumSum, RunsAlongAnyAxis) {
  const Shape shape{5, 40, 130};
  const Tensor x = cast_to(random_uniform(shape, -9, 9), DType::kInt32);
  const std::vector<int64_t> strides{40 * 130, 130, 1};
  for (int axis = 0; axis < 3; ++axis) {
    Tensor want = x.clone();
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t stride = strides[size_t(axis)];
      if (i / stride % shape[axis] > 0) want.data<int32_t>()[i] += want.data<int32_t>()[i - stride];
    }
    expect_close(run_op({"CumSum"}, {x, Tensor::of<int64_t>({axis - 3})})[0], want);
  }
}

TEST(CumSum, AddsAndMultipliesRowsOfEveryType) {
  const int64_t rows = 5, columns = 67;
  const Tensor whole = cast_to(random_uniform({rows, columns}, 0, 4), DType::kInt64), axis = Tensor::scalar(int32_t{0});
  for (const bool product : {false, true}) {
    Tensor want = whole.clone();
    for (int64_t i = columns; i < whole.size(); ++i) {
      int64_t& value = want.data<int64_t>()[i];
      const int64_t before = want.data<int64_t>()[i - columns];
      value = product ? before * value : before + value;
    }
    for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
                              DType::kInt64, DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64}) {
      const OpCase op = cumulative(product ? "CumProd" : "CumSum", false, false);
      expect_close(run_op(op, {cast_to(whole, dtype), axis})[0], cast_to(want, dtype));
    }
  }
}

TEST(CumSum, TakesEmptyTensorsAndRefusesAxesOutOfRange) {
  EXPECT_EQ(run_op({"CumSum"}, {Tensor(DType::kFloat32, {2, 0}), Tensor::scalar(int32_t{1})})[0].shape(),
            (Shape{2, 0}));
  expect_error(ErrorKind::kShape, "2", [] { run_op({"CumSum"}, {random_tensor({2, 3}), Tensor::scalar(int32_t{2})}); });
}

TEST(CumSum, AddsInEveryOrderWhateverTheShape) {
  for (const Shape& shape : {Shape{9, 300, 1}, Shape{3, 7, 3}, Shape{2, 9, 100}, Shape{1, 20, 2500}, Shape{11, 1, 2}}) {
    const Tensor x = random_tensor(shape, 3), axis = Tensor::scalar(int32_t{1});
    const int64_t length = shape[1], inner = shape[2];
    for (const bool exclusive : {false, true}) {
      for (const bool reverse : {false, true}) {
        Tensor want(DType::kFloat32, shape);
        for (int64_t line = 0; line < shape[0] * inner; ++line) {
          const int64_t first = line / inner * length * inner + line % inner;
          float sum = 0;
          for (int64_t step = 0; step < length; ++step) {
            const int64_t at = first + (reverse ? length - 1 - step : step) * inner;
            const float before = sum;
            sum += x.data<float>()[at];
            want.data<float>()[at] = exclusive ? before : sum;
          }
        }
        const OpCase op = cumulative("CumSum", exclusive, reverse);
        for (const int threads : {1, 2}) {
          expect_close(run_op(op, {x, axis}, 1, {}, Isa::kAuto, threads)[0], want);
        }
      }
    }
  }
}

}  // namespace
}  // namespace linnet::testing
