#include <gtest/gtest.h>

#include "support/graph_builder.h"
#include "support/run_expanded.h"

namespace linnet::testing::qembed_layer_normalization {
namespace {

constexpr int64_t kHidden = 5;
const Tensor kIds = Tensor::of<int32_t>({2, 3}, {1, 0, 3, 2, 2, 1}),
             kSegments = Tensor::of<int32_t>({2, 3}, {0, 0, 1, 0, 1, 1});
const Tensor kWords = scattered<uint8_t>({4, kHidden}), kPositions = scattered<uint8_t>({6, kHidden}, 59);
const Tensor kTable = scattered<uint8_t>({2, kHidden}, 91), kGamma = scattered<uint8_t>({kHidden}, 3);
const Tensor kBeta = scattered<uint8_t>({kHidden}, 7), kScale = Tensor::scalar(0.02f),
             kZero = Tensor::scalar(uint8_t{100});

std::vector<Tensor> inputs(bool segments, const Tensor& mask) {
  const Tensor none;
  return {kIds,
          segments ? kSegments : none,
          kWords,
          kPositions,
          segments ? kTable : none,
          kGamma,
          kBeta,
          mask,
          kScale,
          kScale,
          segments ? kScale : none,
          kScale,
          kScale,
          kZero,
          kZero,
          segments ? kZero : none,
          kZero,
          kZero};
}

double real(const Tensor& bytes, int64_t i) { return (bytes.data<uint8_t>()[i] - 100) * double(0.02f); }

Tensor normalized(bool segments) {
  Tensor y(DType::kFloat32, {2, 3, kHidden});
  for (int64_t i = 0; i < 6; ++i) {
    double x[kHidden], mean = 0, variance = 0;
    for (int64_t j = 0; j < kHidden; ++j) {
      x[j] = real(kWords, kIds.data<int32_t>()[i] * kHidden + j) + real(kPositions, i % 3 * kHidden + j);
      if (segments) x[j] += real(kTable, kSegments.data<int32_t>()[i] * kHidden + j);
      mean += x[j] / kHidden;
    }
    for (const double value : x) variance += (value - mean) * (value - mean) / kHidden;
    for (int64_t j = 0; j < kHidden; ++j) {
      y.data<float>()[i * kHidden + j] =
          float((x[j] - mean) / std::sqrt(variance + 1e-12) * real(kGamma, j) + real(kBeta, j));
    }
  }
  return y;
}

TEST(QEmbedLayerNormalization, NormalizesTheSumOfRows) {
  for (const bool segments : {true, false}) {
    const auto y = run_expanded("QEmbedLayerNormalization", {}, inputs(segments, Tensor()), 2);
    expect_close(y[0], normalized(segments), 1e-5, 1e-5);
    expect_close(y[1], Tensor::of<int32_t>({0, 0}));
  }
}

TEST(QEmbedLayerNormalization, TakesSequencesOfAnyLength) {
  GraphBuilder b;
  std::vector<ValueId> values;
  for (const Tensor& input : inputs(false, Tensor())) values.push_back(input ? b.constant(input) : kNoValue);
  values[0] = b.input("ids", Fact(DType::kInt32, Dims{Dim("batch"), Dim("length")}));
  for (const ValueId y : b.ops("QEmbedLayerNormalization", values, 2, {}, "com.microsoft")) b.output(y);
  const Model model = b.model();
  EXPECT_EQ(count_ops(model, "QEmbedLayerNormalization", "com.microsoft"), 0);
  expect_close(run_model(model, {kIds})[0], normalized(false), 1e-5, 1e-5);
  EXPECT_EQ(run_model(model, {Tensor::of<int32_t>({1, 5}, {0, 1, 2, 3, 0})})[0].shape(), (Shape{1, 5, kHidden}));
}

TEST(QEmbedLayerNormalization, CountsTheOnesOfTheMask) {
  const Tensor mask = Tensor::of<int32_t>({2, 3}, {1, 1, 0, 1, 7, 0});
  expect_close(run_expanded("QEmbedLayerNormalization", {}, inputs(true, mask), 2)[1], Tensor::of<int32_t>({2, 1}));
}

TEST(QEmbedLayerNormalization, RefusesWhatDoesNotFit) {
  const OpCase op{"QEmbedLayerNormalization", 1, {}, "com.microsoft"};
  std::vector<Tensor> other = inputs(true, Tensor());
  other[0] = Tensor::of<int64_t>({1, 1}, {0});
  expect_error(ErrorKind::kType, "input_ids", [&] { run_op(op, other, 2); });
  other = inputs(true, Tensor());
  other[4] = Tensor();
  expect_error(ErrorKind::kModel, "segment_embedding", [&] { run_op(op, other, 2); });
  other = inputs(true, Tensor());
  other[11] = Tensor::scalar(0.0f);
  expect_error(ErrorKind::kModel, "gamma_scale", [&] { run_op(op, other, 2, {11}); });
}

}  // namespace
}  // namespace linnet::testing::qembed_layer_normalization
