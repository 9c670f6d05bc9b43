#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::embed_layer_normalization {
namespace {

constexpr int64_t kHidden = 4;
const Tensor kIds = Tensor::of<int32_t>({2, 3}, {1, 0, 3, 2, 2, 1}),
             kSegmentIds = Tensor::of<int32_t>({2, 3}, {0, 0, 1, 0, 1, 1}), kNone;
const Tensor kWords = random_tensor({4, kHidden}, 1), kPositions = random_tensor({6, kHidden}, 2);
const Tensor kSegments = random_tensor({2, kHidden}, 3), kGamma = random_tensor({kHidden}, 4);
const Tensor kBeta = random_tensor({kHidden}, 5);

std::vector<Tensor> run(bool segments, const Tensor& mask, const Tensor& places) {
  return run_expanded("EmbedLayerNormalization", {{"epsilon", 0.01f}},
                      {kIds, segments ? kSegmentIds : kNone, kWords, kPositions, segments ? kSegments : kNone, kGamma,
                       kBeta, mask, places},
                      3);
}

/// Returns the sum of the rows, and its normalisation.
std::pair<Tensor, Tensor> expected(bool segments, const Tensor& places) {
  Tensor sum(DType::kFloat32, {2, 3, kHidden}), y(DType::kFloat32, {2, 3, kHidden});
  for (int64_t i = 0; i < 6; ++i) {
    double x[kHidden], mean = 0, variance = 0;
    const int64_t place = places ? places.data<int32_t>()[i % places.size()] : i % 3;
    for (int64_t j = 0; j < kHidden; ++j) {
      x[j] = double(kWords.data<float>()[kIds.data<int32_t>()[i] * kHidden + j]) +
             double(kPositions.data<float>()[place * kHidden + j]);
      if (segments) x[j] += double(kSegments.data<float>()[kSegmentIds.data<int32_t>()[i] * kHidden + j]);
      mean += x[j] / kHidden;
      sum.data<float>()[i * kHidden + j] = float(x[j]);
    }
    for (const double value : x) variance += (value - mean) * (value - mean) / kHidden;
    for (int64_t j = 0; j < kHidden; ++j) {
      y.data<float>()[i * kHidden + j] =
          float((x[j] - mean) / std::sqrt(variance + 0.01) * double(kGamma.data<float>()[j]) +
                double(kBeta.data<float>()[j]));
    }
  }
  return {sum, y};
}

TEST(EmbedLayerNormalization, NormalizesTheSumOfRows) {
  const Tensor shared = Tensor::of<int32_t>({1, 3}, {5, 0, 2}), own = Tensor::of<int32_t>({2, 3}, {5, 0, 2, 1, 1, 4});
  for (const bool segments : {true, false}) {
    for (const Tensor& places : {kNone, shared, own}) {
      const auto y = run(segments, kNone, places);
      const auto [sum, normalized] = expected(segments, places);
      expect_close(y[0], normalized, 1e-5, 1e-5);
      expect_close(y[1], Tensor::of<int32_t>({0, 0}));
      expect_close(y[2], sum, 1e-6, 1e-6);
    }
  }
}

TEST(EmbedLayerNormalization, CountsTheOnesOfTheMask) {
  expect_close(run(true, Tensor::of<int32_t>({2, 3}, {1, 1, 0, 1, 7, 0}), kNone)[1], Tensor::of<int32_t>({2, 1}));
}

TEST(EmbedLayerNormalization, RefusesWhatDoesNotFit) {
  const OpCase op{"EmbedLayerNormalization", 1, {}, "com.microsoft"};
  std::vector<Tensor> inputs{kIds, kSegmentIds, kWords, kPositions, kNone, kGamma, kBeta};
  expect_error(ErrorKind::kModel, "segment_embedding", [&] { run_op(op, inputs); });
  inputs[4] = cast_to(kSegments, DType::kFloat64);
  expect_error(ErrorKind::kType, "segment_embedding", [&] { run_op(op, inputs); });
  inputs[4] = kSegments;
  inputs[0] = Tensor::of<int64_t>({1, 1}, {0});
  expect_error(ErrorKind::kType, "input_ids", [&] { run_op(op, inputs); });
}

}  // namespace
}  // namespace linnet::testing::embed_layer_normalization
