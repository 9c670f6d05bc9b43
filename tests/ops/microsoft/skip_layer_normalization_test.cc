#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_expanded.h"

namespace linnet::testing::skip_layer_normalization {
namespace {

constexpr int64_t kBatch = 2, kLength = 3, kHidden = 5;
const Shape kShape{kBatch, kLength, kHidden};
const Tensor kX = random_tensor(kShape, 1), kSkip = random_tensor(kShape, 2);
const Tensor kGamma = random_tensor({kHidden}, 3), kBeta = random_tensor({kHidden}, 4);
const Tensor kBias = random_tensor({kHidden}, 5);

double at(const Tensor& x, int64_t i) { return double(x.data<float>()[i % x.size()]); }

/// Returns the four outputs; an empty tensor adds nothing.
std::vector<Tensor> expected(bool centered, const Tensor& skip, const Tensor& beta, const Tensor& bias) {
  const Shape reduced{kBatch, kLength, 1};
  std::vector<Tensor> y{Tensor(DType::kFloat32, kShape), Tensor(DType::kFloat32, reduced),
                        Tensor(DType::kFloat32, reduced), Tensor(DType::kFloat32, kShape)};
  for (int64_t row = 0; row < kBatch * kLength; ++row) {
    double sum[kHidden], mean = 0, square = 0;
    for (int64_t j = 0; j < kHidden; ++j) {
      const int64_t i = row * kHidden + j;
      sum[j] = at(kX, i) + at(skip, i) + (bias ? at(bias, j) : 0);
      mean += centered ? sum[j] / kHidden : 0;
      y[3].data<float>()[i] = float(sum[j]);
    }
    for (const double value : sum) square += (value - mean) * (value - mean) / kHidden;
    const double factor = 1 / std::sqrt(square + 0.01);
    y[1].data<float>()[row] = float(mean);
    y[2].data<float>()[row] = float(factor);
    for (int64_t j = 0; j < kHidden; ++j) {
      y[0].data<float>()[row * kHidden + j] =
          float((sum[j] - mean) * factor * at(kGamma, j) + (beta ? at(beta, j) : 0));
    }
  }
  return y;
}

void check(bool centered, const Tensor& skip, const Tensor& beta, const Tensor& bias) {
  std::vector<Tensor> inputs{kX, skip, kGamma};
  if (centered) inputs.push_back(beta);
  inputs.push_back(bias);
  const char* name = centered ? "SkipLayerNormalization" : "SkipSimplifiedLayerNormalization";
  const auto got = run_expanded(name, {{"epsilon", 0.01f}}, inputs, 4);
  const auto want = expected(centered, skip, beta, bias);
  for (size_t i = 0; i < 4; ++i) expect_close(got[i], want[i], 1e-5, 1e-5);
}

TEST(SkipLayerNormalization, NormalizesTheSum) {
  check(true, kSkip, kBeta, kBias);
  check(true, kSkip, Tensor(), Tensor());
  check(true, kSkip, kBeta, Tensor());
  check(true, kSkip, Tensor(), kBias);
}

TEST(SkipLayerNormalization, SimplifiedTakesNoMean) {
  check(false, kSkip, Tensor(), kBias);
  check(false, kSkip, Tensor(), Tensor());
}

TEST(SkipLayerNormalization, SkipIsBroadcast) {
  check(true, random_tensor({kLength, kHidden}, 7), kBeta, kBias);
  check(false, random_tensor({1, kLength, kHidden}, 8), Tensor(), Tensor());
}

TEST(SkipLayerNormalization, IsAddAndLayerNormalization) {
  GraphBuilder b;
  const ValueId x = b.op("MatMul", {b.input("x", kShape), b.constant(random_tensor({kHidden, kHidden}))});
  const auto y = b.ops("SkipLayerNormalization",
                       {x, b.input("skip", kShape), b.constant(kGamma), b.constant(kBeta), b.constant(kBias)}, 1, {},
                       "com.microsoft");
  b.output(y[0]);
  EXPECT_EQ(optimized_ops(b), "+MatMul LayerNormalization");
}

TEST(SkipLayerNormalization, RefusesWhatDoesNotFit) {
  const OpCase op{"SkipLayerNormalization", 1, {}, "com.microsoft"};
  expect_error(ErrorKind::kShape, "skip", [&] { run_op(op, {kX, random_tensor({2, 1, 4}), kGamma}); });
  expect_error(ErrorKind::kShape, "gamma", [&] { run_op(op, {kX, kSkip, random_tensor({4})}); });
  expect_error(ErrorKind::kShape, "bias", [&] { run_op(op, {kX, kSkip, kGamma, kBeta, kX}); });
  expect_error(ErrorKind::kType, "skip", [&] { run_op(op, {kX, cast_to(kSkip, DType::kFloat64), kGamma}); });
  expect_error(ErrorKind::kType, "input", [&] { run_op(op, {Tensor::of<int32_t>({1}), kSkip, kGamma}); });
}

}  // namespace
}  // namespace linnet::testing::skip_layer_normalization
