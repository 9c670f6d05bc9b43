#include <gtest/gtest.h>

#include "support/conv_reference.h"
#include "support/run_expanded.h"

namespace linnet::testing::group_norm {
namespace {

const Tensor kX = random_tensor({2, 6, 3, 4}, 1), kGamma = random_tensor({6}, 2), kBeta = random_tensor({6}, 3);
const Tensor kSkip = random_tensor({2, 6}, 4), kBias = random_tensor({6}, 5);

Attributes attributes(bool last, int64_t activation) {
  Attributes result{{"groups", int64_t{3}}, {"activation", activation}, {"epsilon", 0.01f}};
  if (!last) result["channels_last"] = int64_t{0};
  return result;
}

Tensor expected(const Tensor& x, bool swish) {
  const Attributes groups{{"num_groups", int64_t{3}}, {"epsilon", 0.01f}};
  const Tensor y = run_op({"GroupNormalization", 21, groups}, {x, kGamma, kBeta})[0];
  return swish ? run_op({"Swish", 24}, {y})[0] : y;
}

TEST(GroupNorm, IsGroupNormalization) {
  for (const int64_t activation : {0, 1}) {
    const Tensor want = expected(kX, activation == 1);
    expect_close(run_expanded("GroupNorm", attributes(false, activation), {kX, kGamma, kBeta})[0], want, 1e-5, 1e-5);
    expect_close(run_expanded("GroupNorm", attributes(true, activation), {to_channels_last(kX), kGamma, kBeta})[0],
                 to_channels_last(want), 1e-5, 1e-5);
  }
}

TEST(GroupNorm, SkipAndBiasAreAddedBefore) {
  Tensor sum(DType::kFloat32, kX.shape());
  for (int64_t i = 0; i < sum.size(); ++i) {
    sum.data<float>()[i] = kX.data<float>()[i] + kSkip.data<float>()[i / 12] + kBias.data<float>()[i / 12 % 6];
  }
  for (const bool last : {false, true}) {
    const auto laid = [&](const Tensor& x) { return last ? to_channels_last(x) : x; };
    const Tensor four = laid(kSkip.reshaped({2, 6, 1, 1}));
    for (const Tensor& skip : {kSkip, four}) {
      const auto y = run_expanded("SkipGroupNorm", attributes(last, 1), {laid(kX), kGamma, kBeta, skip, kBias}, 2);
      expect_close(y[0], laid(expected(sum, true)), 1e-5, 1e-5);
      expect_close(y[1], laid(sum), 1e-6, 1e-6);
    }
  }
}

TEST(GroupNorm, ParametersMayBeOfFloat32WithHalves) {
  const Tensor y = run_expanded("GroupNorm", attributes(false, 1), {cast_to(kX, DType::kFloat16), kGamma, kBeta})[0];
  EXPECT_EQ(y.dtype(), DType::kFloat16);
  expect_close(cast_to(y, DType::kFloat32), expected(kX, true), 1e-2, 1e-2);
}

TEST(GroupNorm, RefusesWhatDoesNotFit) {
  const auto run = [](const Attributes& given, const std::vector<Tensor>& inputs) {
    run_op({"GroupNorm", 1, given, "com.microsoft"}, inputs);
  };
  expect_error(ErrorKind::kModel, "activation", [&] { run(attributes(true, 2), {kX, kGamma, kBeta}); });
  expect_error(ErrorKind::kShape, "num_groups", [&] {
    run(attributes(false, 0), {random_tensor({1, 4, 2}), random_tensor({4}), random_tensor({4})});
  });
  expect_error(ErrorKind::kShape, "X", [&] { run(attributes(false, 0), {random_tensor({2, 3}), kGamma, kBeta}); });
}

}  // namespace
}  // namespace linnet::testing::group_norm
