#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

const Tensor kX = Tensor::of(Shape{3, 2}, Floats{1, 2, 3, 4, 5, 6});

Tensor compress(const Tensor& x, const std::vector<bool>& keep, Attributes attributes = {}) {
  Tensor condition(DType::kBool, Shape{int64_t(keep.size())});
  std::copy(keep.begin(), keep.end(), condition.data<bool>());
  return run_op({"Compress", 11, std::move(attributes)}, {x, condition})[0];
}

TEST(Compress, KeepsTheSlicesWhoseConditionIsTrue) {
  expect_close(compress(kX, {false, true, true}, {{"axis", int64_t{0}}}), Tensor::of(Shape{2, 2}, Floats{3, 4, 5, 6}));
  expect_close(compress(kX, {false, true}, {{"axis", int64_t{-1}}}), Tensor::of(Shape{3, 1}, Floats{2, 4, 6}));
  expect_close(compress(kX, {false, true, false, false, true}), Tensor::of<float>({2, 5}));
  expect_close(compress(kX, {true, true, true, true}, {{"axis", int64_t{0}}}), kX);
  EXPECT_EQ(compress(kX, {false}, {{"axis", int64_t{0}}}).shape(), (Shape{0, 2}));
  expect_close(compress(Tensor::of<std::string>({"a", "b"}), {false, true}), Tensor::of<std::string>({"b"}));
  expect_error(ErrorKind::kShape, "axis 2", [] { compress(kX, {true}, {{"axis", int64_t{2}}}); });
}

/// n conditions: runs of equal ones, or changes at random.
std::vector<bool> conditions(int64_t n, int64_t run, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<bool> keep;
  while (std::ssize(keep) < n) keep.insert(keep.end(), 1 + random() % size_t(run), random() % 2 == 0);
  keep.resize(size_t(n));
  return keep;
}

TEST(Compress, KeepsSingleElementsOfEveryWidthAndWholeRuns) {
  for (const DType dtype : {DType::kUint8, DType::kFloat16, DType::kFloat32, DType::kFloat64, DType::kString}) {
    for (const int64_t run : {1, 40}) {
      for (const int64_t n : {1, 8, 61, 300}) {
        const Tensor numbers = random_tensor({3, 300}, unsigned(n));
        const Tensor x = dtype == DType::kString ? run_op({"Cast", 13, {{"to", int64_t{8}}}}, {numbers})[0]
                                                 : cast_to(numbers, dtype);
        const std::vector<bool> keep = conditions(n, run, unsigned(n + run));
        const Tensor y = compress(x, keep, {{"axis", int64_t{1}}});
        std::vector<int64_t> kept;
        for (int64_t i = 0; i < n; ++i)
          if (keep[size_t(i)]) kept.push_back(i);
        expect_close(y, run_op({"Gather", 13, {{"axis", int64_t{1}}}}, {x, Tensor::of(kept)})[0]);
      }
    }
  }
}

TEST(NonZero, ListsCoordinatesInRowMajorOrder) {
  const Tensor x = Tensor::of(Shape{2, 3}, Floats{1, 0, -0.0f, 0, NAN, 5});
  expect_close(run_op({"NonZero", 13}, {x})[0], Tensor::of(Shape{2, 3}, Ints{0, 1, 1, 0, 1, 2}));
  expect_close(run_op({"NonZero", 13}, {Tensor::of<bool>({false, true})})[0], Tensor::of(Shape{1, 1}, Ints{1}));
  expect_close(run_op({"NonZero", 13}, {Tensor::of<std::string>({"", "a"})})[0], Tensor::of(Shape{1, 1}, Ints{1}));
  const Tensor half = cast_to(x, DType::kFloat16);
  EXPECT_EQ(run_op({"NonZero", 13}, {half})[0].shape(), (Shape{2, 3}));
}

TEST(NonZero, TakesEmptyTensorsAndScalars) {
  EXPECT_EQ(run_op({"NonZero", 13}, {Tensor(DType::kFloat32, {2, 0})})[0].shape(), (Shape{2, 0}));
  EXPECT_EQ(run_op({"NonZero", 13}, {Tensor::scalar(3.0f)})[0].shape(), (Shape{0, 1}));
}

std::vector<Tensor> unique(const Tensor& x, Attributes attributes = {}) {
  return run_op({"Unique", 11, std::move(attributes)}, {x}, 4);
}

void expect_all(const std::vector<Tensor>& got, const Tensor& y, const Ints& first, const Ints& inverse,
                const Ints& counts) {
  expect_close(got[0], y);
  expect_close(got[1], Tensor::of(first));
  expect_close(got[2], Tensor::of(inverse));
  expect_close(got[3], Tensor::of(counts));
}

TEST(Unique, FollowsTheExamplesOfTheSpecification) {
  const OpCase unsorted{"Unique", 11, {{"sorted", int64_t{0}}}};
  expect_all(run_op(unsorted, {Tensor::of<float>({2, 1, 1, 3, 4, 3})}, 4), Tensor::of<float>({2, 1, 3, 4}),
             {0, 1, 3, 4}, {0, 1, 1, 2, 3, 2}, {1, 2, 2, 1});
  expect_all(unique(Tensor::of(Shape{2, 2}, Floats{1, 3, 2, 3})), Tensor::of<float>({1, 2, 3}), {0, 2, 1}, {0, 2, 1, 2},
             {1, 1, 2});
  expect_all(unique(Tensor::of(Shape{3, 3}, Floats{1, 0, 0, 1, 0, 0, 2, 3, 4}), {{"axis", int64_t{0}}}),
             Tensor::of(Shape{2, 3}, Floats{1, 0, 0, 2, 3, 4}), {0, 2}, {0, 0, 1}, {2, 1});
  const Tensor x = Tensor::of(Shape{2, 4, 2}, Floats{1, 1, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 2, 1, 0, 1});
  expect_all(unique(x, {{"axis", int64_t{-2}}}), Tensor::of(Shape{2, 3, 2}, Floats{0, 1, 1, 1, 2, 1, 0, 1, 1, 1, 2, 1}),
             {1, 0, 2}, {1, 0, 2, 0}, {2, 1, 1});
}

TEST(Unique, OrdersOtherDtypes) {
  expect_all(unique(Tensor::of<std::string>({"b", "", "a", "b"})), Tensor::of<std::string>({"", "a", "b"}), {1, 2, 0},
             {2, 0, 1, 2}, {1, 1, 2});
  expect_all(unique(Tensor::of<int64_t>({INT64_MAX, -1, INT64_MIN})), Tensor::of<int64_t>({INT64_MIN, -1, INT64_MAX}),
             {2, 1, 0}, {2, 1, 0}, {1, 1, 1});
  expect_all(unique(Tensor::of<float>({0, -0.0f, NAN, -INFINITY, -NAN})), Tensor::of<float>({-INFINITY, 0, NAN}),
             {3, 0, 2}, {1, 1, 2, 0, 2}, {1, 2, 2});
  EXPECT_EQ(unique(Tensor(DType::kFloat32, {0}))[0].shape(), (Shape{0}));
}

}  // namespace
}  // namespace linnet::testing
