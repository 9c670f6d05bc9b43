#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

struct Rows {
  std::vector<double> y, mean, inverse;
};

/// Normalises rows of n values, centred or by the root mean square.
Rows layer_normalization_reference(const Tensor& x, int64_t n, double epsilon, bool centered) {
  Rows out;
  const float* data = x.data<float>();
  for (int64_t r = 0; r < x.size() / n; ++r) {
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += double(data[r * n + i]), square += double(data[r * n + i]) * double(data[r * n + i]);
    const double mean = centered ? sum / double(n) : 0;
    const double inverse = 1 / std::sqrt(square / double(n) - mean * mean + epsilon);
    for (int64_t i = 0; i < n; ++i) out.y.push_back((double(data[r * n + i]) - mean) * inverse);
    out.mean.push_back(mean);
    out.inverse.push_back(inverse);
  }
  return out;
}

Tensor as_floats(const Shape& shape, const std::vector<double>& values) {
  return Tensor::of(shape, std::vector<float>(values.begin(), values.end()));
}

/// Returns y[i] * scale[i % n] + bias[i % n].
Tensor affine(const Shape& shape, std::vector<double> y, const Tensor& scale, const Tensor* bias) {
  for (size_t i = 0; i < y.size(); ++i) {
    const auto j = int64_t(i) % scale.size();
    y[i] = y[i] * double(scale.data<float>()[j]) + (bias ? double(bias->data<float>()[j]) : 0);
  }
  return as_floats(shape, y);
}

TEST(LayerNormalization, NormalisesTheLastAxis) {
  const Tensor x = random_tensor({3, 5, 100}), scale = random_tensor({100}, 1), bias = random_tensor({100}, 2);
  const Rows want = layer_normalization_reference(x, 100, 1e-5, true);
  for (const Isa isa : supported_isas()) {
    const auto got = run_op({"LayerNormalization", 17}, {x, scale, bias}, 3, {1, 2}, isa);
    expect_close(got[0], affine(x.shape(), want.y, scale, &bias), 1e-5);
    expect_close(got[1], as_floats({3, 5, 1}, want.mean), 1e-6);
    expect_close(got[2], as_floats({3, 5, 1}, want.inverse), 0, 1e-5);
  }
}

TEST(LayerNormalization, NormalisesSeveralAxesWithoutBias) {
  const Tensor x = random_tensor({2, 3, 7}), scale = random_tensor({3, 7}, 1);
  const OpCase op{"LayerNormalization", 17, {{"axis", int64_t{1}}, {"epsilon", 0.1f}}};
  expect_close(run_op(op, {x, scale})[0],
               affine(x.shape(), layer_normalization_reference(x, 21, 0.1, true).y, scale, nullptr), 1e-5);
}

TEST(LayerNormalization, BroadcastsItsParameters) {
  const Tensor x = random_tensor({2, 3, 4}), scale = random_tensor({2, 1, 4}, 1), bias = Tensor::of<float>({1}, {0.5f});
  const Tensor got = run_op({"LayerNormalization", 17}, {x, scale, bias})[0];
  const Rows want = layer_normalization_reference(x, 4, 1e-5, true);
  for (int64_t i = 0; i < 24; ++i) {
    const double expected = want.y[size_t(i)] * double(scale.data<float>()[i / 12 * 4 + i % 4]) + 0.5;
    EXPECT_NEAR(double(got.data<float>()[i]), expected, 1e-5);
  }
}

TEST(LayerNormalization, ALargeMeanDoesNotCancelTheVariance) {
  const Tensor x = random_uniform({2, 64}, 999, 1001);
  const Tensor ones = random_uniform({64}, 1, 1);
  expect_close(run_op({"LayerNormalization", 17}, {x, ones})[0],
               affine(x.shape(), layer_normalization_reference(x, 64, 1e-5, true).y, ones, nullptr), 1e-3);
}

TEST(LayerNormalization, ComputesOtherDtypes) {
  const Tensor x = random_tensor({4, 33}), scale = random_tensor({33}, 1), bias = random_tensor({33}, 2);
  const Tensor want = affine(x.shape(), layer_normalization_reference(x, 33, 1e-5, true).y, scale, &bias);
  for (const DType dtype : {DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    const double tolerance = dtype == DType::kFloat64 ? 1e-6 : dtype == DType::kFloat16 ? 1e-2 : 6e-2;
    const auto got =
        run_op({"LayerNormalization", 17}, {cast_to(x, dtype), cast_to(scale, dtype), cast_to(bias, dtype)}, 2);
    expect_close(got[0], cast_to(want, dtype), tolerance, tolerance);
    EXPECT_EQ(got[1].dtype(), DType::kFloat32);
  }
}

TEST(LayerNormalization, IsBitwiseEqualForAnyNumberOfThreads) {
  const Tensor x = random_tensor({500, 173}), scale = random_tensor({173}, 1), bias = random_tensor({173}, 2);
  const auto one = run_op({"LayerNormalization", 17}, {x, scale, bias}, 3, {}, Isa::kAuto, 1);
  for (const int threads : {2, 3, 8}) {
    const auto got = run_op({"LayerNormalization", 17}, {x, scale, bias}, 3, {}, Isa::kAuto, threads);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(identical(one[i], got[i]));
  }
}

TEST(LayerNormalization, RejectsAScaleThatDoesNotBroadcast) {
  expect_error(ErrorKind::kShape, "scale must broadcast", [] {
    run_op({"LayerNormalization", 17}, {random_tensor({2, 4}), random_tensor({3})});
  });
}

TEST(RMSNormalization, DividesByTheRootMeanSquare) {
  const Tensor x = random_tensor({2, 6, 50}), scale = random_tensor({50}, 1);
  for (const Isa isa : supported_isas()) {
    expect_close(run_op({"RMSNormalization", 23}, {x, scale}, 1, {}, isa)[0],
                 affine(x.shape(), layer_normalization_reference(x, 50, 1e-5, false).y, scale, nullptr), 1e-5);
  }
}

TEST(LayerNormalization, InLinnetsDomainRefusesRowsThatItCannotConvert) {
  const Tensor x = random_tensor({4, 50}), scale = random_tensor({50}, 1);
  for (const char* op : {"LayerNormalization", "RMSNormalization"}) {
    const auto to = [&](DType dtype) { return OpCase{op, 1, {{"to", int64_t(dtype)}}, "linnet"}; };
    for (const DType dtype : {DType::kUndefined, DType::kUint8, DType::kInt32, DType::kFloat64}) {
      EXPECT_THROW(run_op(to(dtype), {x, scale}), Error) << dtype;
    }
    EXPECT_THROW(run_op(to(DType::kFloat32), {cast_to(x, DType::kFloat64), scale}), Error);
    EXPECT_EQ(run_op(to(DType::kFloat16), {x, scale})[0].dtype(), DType::kFloat16);
  }
}

TEST(RMSNormalization, ComputesFloat64InFloat64) {
  const Tensor x = random_tensor({4, 50}), scale = random_tensor({50}, 1);
  const auto wide = [](const Tensor& t) { return cast_to(t, DType::kFloat64); };
  const Tensor got = run_op({"RMSNormalization", 23}, {wide(x), wide(scale)})[0];
  const Rows want = layer_normalization_reference(x, 50, double(1e-5f), false);
  for (int64_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(got.data<double>()[i], want.y[size_t(i)] * double(scale.data<float>()[i % 50]), 1e-13);
  }
}

}  // namespace
}  // namespace linnet::testing
