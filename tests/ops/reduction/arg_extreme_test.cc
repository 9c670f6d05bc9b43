#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "linnet/registry.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Tensor& matrix() {
  static const Tensor x = Tensor::of<float>({2, 3}, {1, 7, 7, 4, 4, -2});
  return x;
}

TEST(ArgMax, TakesTheFirstOfEqualValues) {
  expect_close(run_op({"ArgMax", 13, {{"axis", int64_t{1}}}}, {matrix()})[0], Tensor::of<int64_t>({2, 1}, {1, 0}));
  expect_close(run_op({"ArgMin", 13, {{"axis", int64_t{-1}}}}, {matrix()})[0], Tensor::of<int64_t>({2, 1}, {0, 2}));
}

TEST(ArgMax, SelectLastIndexTakesTheLast) {
  const OpCase op{"ArgMax", 12, {{"axis", int64_t{1}}, {"select_last_index", int64_t{1}}, {"keepdims", int64_t{0}}}};
  expect_close(run_op(op, {matrix()})[0], Tensor::of<int64_t>({2}, {2, 1}));
}

TEST(ArgMax, AxisZeroIsTheDefault) {
  expect_close(run_op({"ArgMax", 1}, {matrix()})[0], Tensor::of<int64_t>({1, 3}, {1, 0, 0}));
}

TEST(ArgMax, FindsThePlantedMaximumDownLongColumns) {
  Tensor x = random_uniform({3, 21, 1000}, 0, 1);
  Tensor want(DType::kInt64, {3, 1, 1000});
  for (int64_t o = 0; o < 3; ++o) {
    for (int64_t c = 0; c < 1000; ++c) {
      const int64_t index = (o * 7 + c * 5) % 21;
      x.data<float>()[(o * 21 + index) * 1000 + c] = 2;
      want.data<int64_t>()[o * 1000 + c] = index;
    }
  }
  expect_close(run_op({"ArgMax", 13, {{"axis", int64_t{1}}}}, {x})[0], want);
  expect_close(run_op({"ArgMax", 13, {{"axis", int64_t{1}}}}, {cast_to(x, DType::kFloat16)})[0], want);
}

/// Tests more rows than are searched together, short and long ones.
TEST(ArgMax, SearchesRowsFromEitherEnd) {
  constexpr int64_t kRows = 150;
  for (const int64_t n : {1, 2, 5, 31, 32, 33, 63, 64, 65, 200, 1000}) {
    for (const int64_t last : {0, 1}) {
      // There are few distinct values, so that most are equal to many others.
      Tensor x = random_uniform({kRows, n}, 0, 5, unsigned(n));
      Tensor want(DType::kInt64, {kRows});
      for (int64_t r = 0; r < kRows; ++r) {
        float* row = x.data<float>() + r * n;
        for (int64_t i = 0; i < n; ++i) row[i] = std::floor(row[i]);
        int64_t best = 0;
        for (int64_t i = 1; i < n; ++i) best = row[i] > row[best] || (last && row[i] == row[best]) ? i : best;
        want.data<int64_t>()[r] = best;
      }
      const OpCase op{"ArgMax", 13, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}, {"select_last_index", last}}};
      expect_close(run_op(op, {x})[0], want);
    }
  }
}

TEST(ArgMax, NanIsBeyondAllValues) {
  const Tensor x = Tensor::of<float>({4}, {1, NAN, 3, NAN});
  expect_close(run_op({"ArgMax", 13}, {x})[0], Tensor::of<int64_t>({1}, {1}));
  expect_close(run_op({"ArgMin", 13}, {x})[0], Tensor::of<int64_t>({1}, {1}));
}

TEST(ArgMax, TakesIntegers) {
  const Tensor x = Tensor::of<uint8_t>({4}, {3, 200, 7, 200});
  expect_close(run_op({"ArgMax", 13}, {x})[0], Tensor::of<int64_t>({1}, {1}));
}

TEST(ArgMax, RejectsAnEmptyAxis) {
  expect_error(ErrorKind::kShape, "must have between 1", [] {
    run_op({"ArgMax", 13}, {Tensor(DType::kFloat32, {0, 2})});
  });
}

TEST(ArgMax, TakesAxesWhoseIndicesAreInt32) {
  const auto y = [](int64_t n) {
    const auto op = standard_registry().create({.op_type = "ArgMax", .name = "node", .opset = 13});
    const Fact x(DType::kFloat32, Shape{n});
    return op->infer({&x, 1})[0];
  };
  EXPECT_EQ(str(y(2147483647)), "int64[1]");
  expect_error(ErrorKind::kShape, "must have between 1 and 2^31 - 1 values", [&] { y(2147483648); });
}

}  // namespace
}  // namespace linnet::testing
