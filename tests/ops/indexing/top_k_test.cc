#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

const Tensor kRamp = Tensor::of(Shape{3, 4}, Floats{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});

TEST(TopK, FollowsTheExamplesOfTheSpecification) {
  const Tensor values = Tensor::of(Shape{3, 3}, Floats{3, 2, 1, 7, 6, 5, 11, 10, 9});
  const Tensor indices = Tensor::of(Shape{3, 3}, Ints{3, 2, 1, 3, 2, 1, 3, 2, 1});
  for (const std::vector<Tensor>& y :
       {run_op({"TopK", 11, {{"axis", int64_t{1}}}}, {kRamp, Tensor::of<int64_t>({3})}, 2),
        run_op({"TopK", 10}, {kRamp, Tensor::of<int64_t>({3})}, 2),
        run_op({"TopK", 1, {{"k", int64_t{3}}}}, {kRamp}, 2)}) {
    expect_close(y[0], values);
    expect_close(y[1], indices);
  }
}

TEST(TopK, TakesTheSmallestAlongOtherAxes) {
  const OpCase op{"TopK", 11, {{"axis", int64_t{0}}, {"largest", int64_t{0}}}};
  const std::vector<Tensor> y = run_op(op, {kRamp, Tensor::of<int64_t>({2})}, 2);
  expect_close(y[0], Tensor::of(Shape{2, 4}, Floats{0, 1, 2, 3, 4, 5, 6, 7}));
  expect_close(y[1], Tensor::of(Shape{2, 4}, Ints{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(TopK, PrefersLowerIndicesAndPutsNaNFirst) {
  const Tensor x = Tensor::of<float>({0, NAN, 1, -0.0f, 1, -INFINITY});
  const std::vector<Tensor> y = run_op({"TopK", 11}, {x, Tensor::of<int64_t>({6})}, 2);
  expect_close(y[1], Tensor::of<int64_t>({1, 2, 4, 0, 3, 5}));
}

TEST(TopK, AgreesWithAStableSortForAllThreads) {
  const Tensor x = cast_to(random_uniform({40, 1000}, -50, 50, 3), DType::kInt8);
  const std::vector<Tensor> y = run_op({"TopK", 11}, {x, Tensor::of<int64_t>({37})}, 2);
  for (int64_t r = 0; r < 40; ++r) {
    const int8_t* row = x.data<int8_t>() + r * 1000;
    Ints order(1000);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return row[a] > row[b]; });
    order.resize(37);
    EXPECT_TRUE(std::equal(order.begin(), order.end(), y[1].data<int64_t>() + r * 37));
    EXPECT_EQ(y[0].data<int8_t>()[r * 37 + 36], row[order[36]]);
  }
}

/// Rows are several times longer than the buffer: ascending, descending and with few distinct values.
TEST(TopK, SearchesLongRowsOfEveryDtype) {
  const int64_t dim = 5000;
  Tensor x(DType::kFloat32, Shape{4, dim});
  const Tensor noise = random_uniform({2, dim}, -100, 100, 5);
  for (int64_t i = 0; i < dim; ++i) {
    const auto step = float(i % 120);
    x.data<float>()[i] = step - 60;
    x.data<float>()[dim + i] = 60 - step;
    x.data<float>()[2 * dim + i] = std::floor(noise.data<float>()[i]);
    x.data<float>()[3 * dim + i] = std::floor(noise.data<float>()[dim + i] / 50);
  }
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64}) {
    const Tensor cast = cast_to(x, dtype);
    for (const bool largest : {false, true}) {
      for (const int64_t k : {1, 10, 300, 4990}) {
        const OpCase op{"TopK", 11, {{"largest", int64_t(largest)}}};
        const std::vector<Tensor> y = run_op(op, {cast, Tensor::of<int64_t>({k})}, 2);
        for (int64_t r = 0; r < 4; ++r) {
          const float* row = x.data<float>() + r * dim;
          Ints order(static_cast<size_t>(dim));
          std::iota(order.begin(), order.end(), 0);
          std::stable_sort(order.begin(), order.end(),
                           [&](int64_t a, int64_t b) { return largest ? row[a] > row[b] : row[a] < row[b]; });
          ASSERT_TRUE(std::equal(order.begin(), order.begin() + k, y[1].data<int64_t>() + r * k)) << dtype << k << r;
        }
      }
    }
  }
}

/// In these rows, every block has better elements than all before, or none has.
TEST(TopK, SearchesRowsInOrder) {
  const int64_t dim = 30000;
  Tensor x(DType::kFloat64, Shape{3, dim});
  for (int64_t i = 0; i < dim; ++i) {
    x.data<double>()[i] = double(i);
    x.data<double>()[dim + i] = double(-i);
    x.data<double>()[2 * dim + i] = i == dim - 1 ? 8 : 7;
  }
  for (const int64_t k : {2, 300}) {
    const Tensor indices = run_op({"TopK", 11}, {x, Tensor::of<int64_t>({k})}, 2)[1];
    for (int64_t i = 0; i < k; ++i) {
      EXPECT_EQ(indices.data<int64_t>()[i], dim - 1 - i);
      EXPECT_EQ(indices.data<int64_t>()[k + i], i);
      EXPECT_EQ(indices.data<int64_t>()[2 * k + i], i == 0 ? dim - 1 : i - 1);
    }
  }
}

TEST(TopK, TakesKOfZeroAndRefusesOthersOutOfRange) {
  const auto top = [](int64_t k) { return run_op({"TopK", 11}, {kRamp, Tensor::of<int64_t>({k})}, 2)[0]; };
  EXPECT_EQ(top(0).shape(), (Shape{3, 0}));
  expect_error(ErrorKind::kShape, "k must be in [0,4], got 5", [&] { top(5); });
  expect_error(ErrorKind::kShape, "k must be in [0,4], got -1", [&] { top(-1); });
  expect_error(ErrorKind::kShape, "k must have one element", [] {
    run_op({"TopK", 11}, {kRamp, Tensor::of<int64_t>({1, 2})}, 2);
  });
}

}  // namespace
}  // namespace linnet::testing
