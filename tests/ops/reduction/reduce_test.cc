#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

/// Returns all values that each output element is computed from. By definition, an element belongs to the output
/// element with the same index, except for the reduced dims, which are 0.
std::vector<std::vector<double>> groups(const Tensor& x, const std::vector<bool>& reduced) {
  int64_t outputs = 1;
  for (int i = 0; i < x.rank(); ++i) outputs *= reduced[size_t(i)] ? 1 : x.dim(i);
  std::vector<std::vector<double>> result(static_cast<size_t>(outputs));
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t rest = i, output = 0, stride = 1;
    for (int d = x.rank() - 1; d >= 0; --d) {
      if (!reduced[size_t(d)]) output += rest % x.dim(d) * stride, stride *= x.dim(d);
      rest /= x.dim(d);
    }
    result[size_t(output)].push_back(double(x.data<float>()[i]));
  }
  return result;
}

double reduce(const std::string& op, const std::vector<double>& values) {
  double sum = 0, abs = 0, square = 0, powers = 0, product = 1;
  double max = -std::numeric_limits<double>::infinity(), min = -max;
  for (const double v : values) {
    sum += v, abs += std::abs(v), square += v * v, powers += std::exp(v), product *= v;
    max = std::fmax(max, v), min = std::fmin(min, v);
  }
  if (op == "ReduceSum") return sum;
  if (op == "ReduceMean") return sum / double(values.size());
  if (op == "ReduceL1") return abs;
  if (op == "ReduceL2") return std::sqrt(square);
  if (op == "ReduceSumSquare") return square;
  if (op == "ReduceLogSum") return std::log(sum);
  if (op == "ReduceLogSumExp") return std::log(powers);
  if (op == "ReduceProd") return product;
  return op == "ReduceMax" ? max : min;
}

const char* const kOps[] = {"ReduceSum",    "ReduceMean",      "ReduceL1",   "ReduceL2",  "ReduceSumSquare",
                            "ReduceLogSum", "ReduceLogSumExp", "ReduceProd", "ReduceMax", "ReduceMin"};

Tensor reference(const std::string& op, const Tensor& x, const Ints& axes, bool keep) {
  std::vector<bool> reduced(size_t(x.rank()), axes.empty());
  for (const int64_t axis : axes) reduced[size_t(axis < 0 ? axis + x.rank() : axis)] = true;
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (!reduced[size_t(i)] || keep) shape.push_back(reduced[size_t(i)] ? 1 : x.dim(i));
  }
  std::vector<float> values;
  for (const auto& group : groups(x, reduced)) values.push_back(float(reduce(op, group)));
  return Tensor::of(shape, values);
}

TEST(Reduce, MatchesTheDefinitionForAllAxes) {
  const Tensor x = random_uniform({3, 5, 4, 7}, 0.5f, 1.5f);
  for (const char* op : kOps) {
    for (const Ints& axes : {Ints{}, Ints{0}, Ints{1}, Ints{-1}, Ints{0, 2}, Ints{1, 3}, Ints{2, 3}, Ints{0, 1, 2},
                             Ints{-1, 0}, Ints{0, 1, 2, 3}}) {
      SCOPED_TRACE(std::string(op) + " over " + std::to_string(axes.size()) + " axes");
      const Tensor want = reference(op, x, axes, true);
      expect_close(run_op({op, 18}, {x, Tensor::of(axes)}, 1, {1})[0], want, 1e-5, 1e-5);
    }
  }
}

TEST(Reduce, KeepdimsZeroRemovesTheAxes) {
  const Tensor x = random_tensor({2, 3, 4});
  expect_close(run_op({"ReduceSum", 13, {{"keepdims", int64_t{0}}}}, {x, Tensor::of(Ints{1})}, 1, {1})[0],
               reference("ReduceSum", x, {1}, false), 1e-5);
  EXPECT_EQ(run_op({"ReduceMax", 11, {{"keepdims", int64_t{0}}}}, {x})[0].shape(), Shape{});
}

TEST(Reduce, AxesAreAnAttributeInOlderOpsets) {
  const Tensor x = random_tensor({2, 3, 4});
  expect_close(run_op({"ReduceSum", 11, {{"axes", Ints{0, 2}}}}, {x})[0], reference("ReduceSum", x, {0, 2}, true),
               1e-5);
  expect_close(run_op({"ReduceMean", 13, {{"axes", Ints{-1}}}}, {x})[0], reference("ReduceMean", x, {-1}, true), 1e-5);
}

TEST(Reduce, AxesMayBeComputed) {
  const Tensor x = random_tensor({2, 3, 4});
  expect_close(run_op({"ReduceSum", 13}, {x, Tensor::of(Ints{1})})[0], reference("ReduceSum", x, {1}, true), 1e-5);
}

TEST(Reduce, NoAxesReduceAllUnlessToldOtherwise) {
  const Tensor x = random_uniform({2, 3}, 0.5f, 2);
  expect_close(run_op({"ReduceSum", 13}, {x})[0], reference("ReduceSum", x, {}, true), 1e-5);
  const OpCase noop{"ReduceSumSquare", 18, {{"noop_with_empty_axes", int64_t{1}}}};
  Tensor squares = x.clone();
  for (int64_t i = 0; i < 6; ++i) squares.data<float>()[i] *= squares.data<float>()[i];
  expect_close(run_op(noop, {x})[0], squares, 0, 1e-6);
  expect_close(run_op(noop, {x, Tensor::of(Ints{})}, 1, {1})[0], squares, 0, 1e-6);
}

TEST(Reduce, LargeTensorsKeepTheirPrecision) {
  const Tensor x = random_uniform({2, 700, 300}, 0, 1);
  for (const Ints& axes : {Ints{1}, Ints{2}, Ints{0, 2}, Ints{1, 2}, Ints{0, 1}, Ints{}}) {
    expect_close(run_op({"ReduceSum", 13}, {x, Tensor::of(axes)}, 1, {1})[0], reference("ReduceSum", x, axes, true), 0,
                 1e-6);
  }
}

TEST(Reduce, EmptySetsGiveTheNeutralElement) {
  const Tensor x(DType::kFloat32, {2, 0});
  const float inf = std::numeric_limits<float>::infinity();
  const auto run = [&](const char* op) { return run_op({op, 20}, {x, Tensor::of(Ints{1})}, 1, {1})[0]; };
  expect_close(run("ReduceSum"), Tensor::of<float>({2, 1}, {0, 0}));
  expect_close(run("ReduceProd"), Tensor::of<float>({2, 1}, {1, 1}));
  expect_close(run("ReduceMax"), Tensor::of<float>({2, 1}, {-inf, -inf}));
  expect_close(run("ReduceMin"), Tensor::of<float>({2, 1}, {inf, inf}));
  expect_close(run("ReduceLogSumExp"), Tensor::of<float>({2, 1}, {-inf, -inf}));
  expect_close(run("ReduceMean"), Tensor::of<float>({2, 1}, {NAN, NAN}));
  EXPECT_EQ(run_op({"ReduceSum", 13}, {x, Tensor::of(Ints{0})}, 1, {1})[0].shape(), (Shape{1, 0}));
}

TEST(Reduce, OtherDtypes) {
  const Tensor x = Tensor::of<int32_t>({2, 3}, {1, -2, 3, 4, 5, -7});
  const Tensor axes = Tensor::of(Ints{1});
  expect_close(run_op({"ReduceSum", 13}, {x, axes}, 1, {1})[0], Tensor::of<int32_t>({2, 1}, {2, 2}));
  expect_close(run_op({"ReduceL1", 18}, {x, axes}, 1, {1})[0], Tensor::of<int32_t>({2, 1}, {6, 16}));
  expect_close(run_op({"ReduceProd", 18}, {x, axes}, 1, {1})[0], Tensor::of<int32_t>({2, 1}, {-6, -140}));
  expect_close(run_op({"ReduceMin", 18}, {x, axes}, 1, {1})[0], Tensor::of<int32_t>({2, 1}, {-2, -7}));
  const Tensor flags = cast_to(Tensor::of<int32_t>({2, 2}, {0, 1, 0, 0}), DType::kBool);
  expect_close(run_op({"ReduceMax", 20}, {flags, axes}, 1, {1})[0],
               cast_to(Tensor::of<int32_t>({2, 1}, {1, 0}), DType::kBool));
  const Tensor floats = random_uniform({4, 50}, 0, 1);
  for (const DType dtype : {DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    const double tolerance = dtype == DType::kBFloat16 ? 1e-2 : dtype == DType::kFloat16 ? 1e-3 : 1e-6;
    const Tensor given = cast_to(floats, dtype);
    const Tensor want = reference("ReduceSum", cast_to(given, DType::kFloat32), {1}, true);
    expect_close(run_op({"ReduceSum", 13}, {given, axes}, 1, {1})[0], cast_to(want, dtype), 0, tolerance);
  }
}

TEST(Reduce, WhatIsNoIntegerBecomesTheLeastOne) {
  const Tensor x = Tensor::of<int32_t>({3, 1}, {-1, 0, 8}), axes = Tensor::of(Ints{1});
  expect_close(run_op({"ReduceLogSum", 18}, {x, axes}, 1, {1})[0],
               Tensor::of<int32_t>({3, 1}, {INT32_MIN, INT32_MIN, 2}));
}

/// Tests rows of every length, and more columns and rows than are processed at a time.
TEST(Reduce, EveryDtypeMatchesTheDefinition) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt8, DType::kUint8, DType::kInt16,
                            DType::kUint16, DType::kInt32, DType::kUint32, DType::kInt64, DType::kUint64}) {
    for (const Shape& shape :
         {Shape{70, 3, 1}, Shape{5, 33, 2}, Shape{1100, 2, 1}, Shape{3, 1500, 1}, Shape{9, 2, 600}}) {
      const Tensor x = cast_to(random_uniform(shape, 0, 3.99f), dtype);
      const Tensor values = cast_to(x, DType::kFloat32);
      for (const char* op : {"ReduceSum", "ReduceMax", "ReduceMin", "ReduceSumSquare", "ReduceL1", "ReduceL2"}) {
        for (const Ints& axes : {Ints{0}, Ints{1}, Ints{2}, Ints{0, 2}, Ints{0, 1, 2}}) {
          const Tensor got = run_op({op, 20}, {x, Tensor::of(axes)}, 1, {1})[0];
          expect_close(cast_to(got, DType::kFloat64),
                       cast_to(cast_to(reference(op, values, axes, true), dtype), DType::kFloat64), 1e-6,
                       is_floating(dtype) ? 1e-5 : 0);
        }
      }
    }
  }
}

TEST(Reduce, LogSumExpSurvivesLargeValues) {
  const Tensor x = Tensor::of<float>({1, 3}, {1000, 1000, -1000});
  expect_close(run_op({"ReduceLogSumExp", 18}, {x})[0], Tensor::of<float>({1, 1}, {1000.6931f}), 1e-3);
}

TEST(Reduce, IsBitwiseEqualForAnyNumberOfThreads) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt8}) {
    const Tensor x = cast_to(random_uniform({5, 300, 210}, -9, 9), dtype);
    for (const Ints& axes : {Ints{0}, Ints{1}, Ints{2}, Ints{0, 2}}) {
      const auto run = [&](int threads) {
        return run_op({"ReduceSum", 13}, {x, Tensor::of(axes)}, 1, {1}, Isa::kAuto, threads)[0];
      };
      const Tensor one = run(1);
      for (const int threads : {2, 3, 8}) EXPECT_TRUE(identical(one, run(threads)));
    }
  }
}

TEST(Reduce, AnAxisThatIsNamedTwiceIsReducedOnce) {
  const Tensor x = random_tensor({2, 3});
  for (const int64_t keep : {0, 1}) {
    const OpCase op{"ReduceSum", 13, {{"keepdims", keep}}};
    EXPECT_TRUE(identical(run_op(op, {x, Tensor::of(Ints{0, -2})}, 1, {1})[0],
                          run_op(op, {x, Tensor::of(Ints{0})}, 1, {1})[0]));
  }
}

TEST(Reduce, RejectsBadAxes) {
  const Tensor x = random_tensor({2, 3});
  expect_error(ErrorKind::kShape, "2", [&] { run_op({"ReduceSum", 13}, {x, Tensor::of(Ints{2})}, 1, {1}); });
  expect_error(ErrorKind::kType, "axes", [&] {
    run_op({"ReduceSum", 13}, {x, Tensor::of<int32_t>({1}, {0})}, 1, {1});
  });
}

}  // namespace
}  // namespace linnet::testing
