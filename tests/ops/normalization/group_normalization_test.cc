#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// x: [n, channels, spatial...]. scale and bias: one value for `shared` consecutive channels.
Tensor group_normalization_reference(const Tensor& x, int64_t groups, const Tensor& scale, const Tensor& bias,
                                     int64_t shared) {
  Tensor y(DType::kFloat32, x.shape());
  const int64_t channels = x.dim(1), spatial = x.size() / x.dim(0) / channels, n = channels / groups * spatial;
  for (int64_t i = 0; i < x.size(); ++i) {
    const float* group = x.data<float>() + i / n * n;
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < n; ++j) mean += double(group[j]) / double(n);
    for (int64_t j = 0; j < n; ++j) variance += std::pow(double(group[j]) - mean, 2) / double(n);
    const int64_t parameter = i / spatial % channels / shared;
    y.data<float>()[i] = float((double(x.data<float>()[i]) - mean) / std::sqrt(variance + 1e-5) *
                                   double(scale.data<float>()[parameter]) +
                               double(bias.data<float>()[parameter]));
  }
  return y;
}

TEST(InstanceNormalization, NormalisesEveryChannelByItself) {
  const Tensor x = random_tensor({2, 5, 3, 7}), scale = random_tensor({5}, 1), bias = random_tensor({5}, 2);
  for (const Isa isa : supported_isas()) {
    expect_close(run_op({"InstanceNormalization", 6}, {x, scale, bias}, 1, {}, isa)[0],
                 group_normalization_reference(x, 5, scale, bias, 1), 1e-5);
  }
}

TEST(InstanceNormalization, GivesNothingForNoChannels) {
  const Tensor x = random_tensor({2, 0, 3}), parameters = random_tensor({0});
  for (const std::vector<int>& constants : {std::vector<int>{}, {0, 1, 2}}) {
    const Tensor y = run_op({"InstanceNormalization", 6}, {x, parameters, parameters}, 1, constants)[0];
    EXPECT_EQ(y.shape(), x.shape());
  }
}

TEST(InstanceNormalization, ComputesOtherDtypes) {
  const Tensor x = random_tensor({2, 3, 40}), scale = random_tensor({3}, 1), bias = random_tensor({3}, 2);
  for (const DType dtype : {DType::kFloat64, DType::kFloat16}) {
    const double tolerance = dtype == DType::kFloat64 ? 1e-6 : 1e-2;
    expect_close(
        run_op({"InstanceNormalization", 6}, {cast_to(x, dtype), cast_to(scale, dtype), cast_to(bias, dtype)})[0],
        cast_to(group_normalization_reference(x, 3, scale, bias, 1), dtype), tolerance);
  }
}

TEST(GroupNormalization, TakesParametersPerChannelFromOpset21On) {
  const Tensor x = random_tensor({2, 6, 5, 5}), scale = random_tensor({6}, 1), bias = random_tensor({6}, 2);
  expect_close(run_op({"GroupNormalization", 21, {{"num_groups", int64_t{3}}}}, {x, scale, bias})[0],
               group_normalization_reference(x, 3, scale, bias, 1), 1e-5);
}

TEST(GroupNormalization, TakesParametersPerGroupBefore) {
  const Tensor x = random_tensor({2, 6, 9}), scale = random_tensor({2}, 1), bias = random_tensor({2}, 2);
  expect_close(run_op({"GroupNormalization", 18, {{"num_groups", int64_t{2}}}}, {x, scale, bias})[0],
               group_normalization_reference(x, 2, scale, bias, 3), 1e-5);
}

TEST(GroupNormalization, RejectsGroupsThatDoNotDivideTheChannels) {
  expect_error(ErrorKind::kShape, "num_groups must divide", [] {
    run_op({"GroupNormalization", 21, {{"num_groups", int64_t{4}}}},
           {random_tensor({1, 6, 2}), random_tensor({6}), random_tensor({6})});
  });
}

}  // namespace
}  // namespace linnet::testing
