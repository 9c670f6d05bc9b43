#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Returns the softmax, or its logarithm, over lanes of n values at a distance of `inner`.
Tensor softmax_reference(const Tensor& x, int64_t n, int64_t inner, bool log) {
  Tensor y(x.dtype(), x.shape());
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t first = i / (n * inner) * n * inner + i % inner;
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += std::exp(double(x.data<float>()[first + j * inner]));
    const double v = double(x.data<float>()[i]);
    y.data<float>()[i] = float(log ? v - std::log(sum) : std::exp(v) / sum);
  }
  return y;
}

OpCase op(const char* name, int64_t opset, int64_t axis) { return {name, opset, {{"axis", axis}}}; }

TEST(Softmax, WorksAlongAnyAxis) {
  const Tensor x = random_tensor({3, 5, 21, 4});
  expect_close(run_op({"Softmax", 13}, {x})[0], softmax_reference(x, 4, 1, false), 1e-7, 1e-6);
  expect_close(run_op(op("Softmax", 13, 2), {x})[0], softmax_reference(x, 21, 4, false), 1e-7, 1e-6);
  expect_close(run_op(op("Softmax", 13, -3), {x})[0], softmax_reference(x, 5, 84, false), 1e-7, 1e-6);
  expect_close(run_op(op("LogSoftmax", 13, 0), {x})[0], softmax_reference(x, 3, 420, true), 1e-6, 1e-6);
  expect_close(run_op(op("LogSoftmax", 13, 3), {x})[0], softmax_reference(x, 4, 1, true), 1e-6, 1e-6);
}

TEST(Softmax, TreatsTheInputAsAMatrixBeforeOpset13) {
  const Tensor x = random_tensor({2, 3, 4});
  expect_close(run_op({"Softmax", 11}, {x})[0], softmax_reference(x, 12, 1, false), 1e-7, 1e-6);
  expect_close(run_op(op("LogSoftmax", 1, 2), {x})[0], softmax_reference(x, 4, 1, true), 1e-6, 1e-6);
  expect_close(run_op(op("Softmax", 11, 0), {x})[0], softmax_reference(x, 24, 1, false), 1e-7, 1e-6);
}

TEST(Softmax, ComputesOtherDtypes) {
  const Tensor x = random_tensor({4, 9, 5});
  for (const DType dtype : {DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    const Tensor given = cast_to(x, dtype);
    const double tolerance = dtype == DType::kFloat64 ? 1e-6 : dtype == DType::kFloat16 ? 1e-3 : 1e-2;
    for (const bool log : {false, true}) {
      const Tensor want = cast_to(softmax_reference(cast_to(given, DType::kFloat32), 9, 5, log), dtype);
      expect_close(run_op(op(log ? "LogSoftmax" : "Softmax", 13, 1), {given})[0], want, 0, tolerance);
    }
  }
}

TEST(Softmax, KeepsEmptyTensorsEmpty) {
  EXPECT_EQ(run_op({"Softmax", 13}, {Tensor(DType::kFloat32, {3, 0})})[0].shape(), (Shape{3, 0}));
  EXPECT_EQ(run_op({"Softmax", 13}, {Tensor(DType::kFloat32, {0, 3})})[0].shape(), (Shape{0, 3}));
}

TEST(Softmax, IsBitwiseEqualForAnyNumberOfThreads) {
  const Tensor x = random_tensor({7, 90, 211});
  for (const int64_t axis : {1, 2}) {
    const Tensor one = run_op(op("Softmax", 13, axis), {x}, 1, {}, Isa::kAuto, 1)[0];
    expect_close(one, axis == 1 ? softmax_reference(x, 90, 211, false) : softmax_reference(x, 211, 1, false), 1e-7,
                 1e-6);
    for (const int threads : {2, 3, 8}) {
      EXPECT_TRUE(identical(one, run_op(op("Softmax", 13, axis), {x}, 1, {}, Isa::kAuto, threads)[0]));
    }
  }
}

TEST(Softmax, RejectsAxisOutOfRange) {
  expect_error(ErrorKind::kShape, "2", [] { run_op(op("Softmax", 13, 2), {random_tensor({2, 3})}); });
}

TEST(Softmax, RejectsIntegers) {
  expect_error(ErrorKind::kType, "int32", [] { run_op({"Softmax", 13}, {Tensor::of<int32_t>({1, 2})}); });
}

TEST(Hardmax, MarksOneValueOfEveryLane) {
  for (const Shape& shape : {Shape{700, 50}, Shape{3, 9}, Shape{3, 40, 300}, Shape{2, 5, 7}}) {
    // There are few distinct values, so that several are the largest.
    Tensor x = random_uniform(shape, 0, 6);
    for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] = std::floor(x.data<float>()[i]);
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const int64_t n = shape[1], inner = shape.elements(2, shape.rank());
      const Tensor y = cast_to(run_op(op("Hardmax", 13, 1), {cast_to(x, dtype)})[0], DType::kFloat32);
      for (int64_t lane = 0; lane < x.size() / n; ++lane) {
        const int64_t first = lane / inner * n * inner + lane % inner;
        int64_t best = 0;
        for (int64_t i = 0; i < n; ++i) {
          if (x.data<float>()[first + i * inner] > x.data<float>()[first + best * inner]) best = i;
        }
        for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y.data<float>()[first + i * inner], i == best ? 1 : 0) << lane;
      }
    }
  }
}

TEST(Hardmax, MarksTheFirstLargestValue) {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 5, 5, -1, -2, -3});
  expect_close(run_op({"Hardmax", 13}, {x})[0], Tensor::of<float>({2, 3}, {0, 1, 0, 1, 0, 0}));
  expect_close(run_op(op("Hardmax", 13, 0), {x})[0], Tensor::of<float>({2, 3}, {1, 1, 1, 0, 0, 0}));
  expect_close(run_op(op("Hardmax", 11, 0), {x})[0], Tensor::of<float>({2, 3}, {0, 1, 0, 0, 0, 0}));
}

TEST(Softmax, RowsOfDoublesMatchTheLibraryOfC) {
  for (const int64_t n : {1, 7, 256, 600}) {
    const Tensor x = cast_to(random_uniform({3, n}, -20, 20, 1), DType::kFloat64);
    Tensor softmax(DType::kFloat64, {3, n}), log_softmax(DType::kFloat64, {3, n});
    for (int64_t r = 0; r < 3; ++r) {
      const double* row = x.data<double>() + r * n;
      long double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += std::exp((long double)row[i]);
      for (int64_t i = 0; i < n; ++i) {
        softmax.data<double>()[r * n + i] = double(std::exp((long double)row[i]) / sum);
        log_softmax.data<double>()[r * n + i] = double((long double)row[i] - std::log(sum));
      }
    }
    for (const Isa isa : supported_isas()) {
      expect_close(run_op({"Softmax"}, {x}, 1, {}, isa)[0], softmax, 0, 1e-14);
      expect_close(run_op({"LogSoftmax"}, {x}, 1, {}, isa)[0], log_softmax, 1e-14, 1e-14);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
